//! What waits in an entire run: views and advice look at the same semaphores, idle time and critical path.

use crate::analysis::device::activity::engines::{Engine, engines};
use crate::analysis::device::waiting::cause::Causes;
use crate::analysis::device::waiting::critical_path::{CriticalPath, critical_path};
use crate::analysis::device::waiting::gaps::{Gaps, gaps_of};
use crate::analysis::device::waiting::signals::{SemaphoreHistory, Signals};
use crate::model::Profile;
use std::cell::OnceCell;
use std::rc::Rc;

/// Answers about the waits of one profile, each computed when it is first asked for.
#[derive(Debug, Default)]
pub struct RunWaits {
    semaphores: OnceCell<Rc<SemaphoreHistory>>,
    gaps: OnceCell<Gaps>,
    path: OnceCell<CriticalPath>,
}

impl RunWaits {
    /// The semaphores.
    pub fn signals<'a>(&self, profile: &'a Profile) -> Signals<'a> {
        match self.semaphores.get() {
            Some(known) => Signals::with(profile, known.clone()),
            None => {
                let signals = Signals::of(profile);
                self.semaphores.get_or_init(|| signals.history());
                signals
            }
        }
    }

    /// Idle time of the engines in the entire run.
    pub fn gaps(&self, profile: &Profile) -> &Gaps {
        self.gaps.get_or_init(|| self.new_gaps(profile, &engines(profile)))
    }

    /// The same where the engines are known.
    pub(in crate::analysis::device) fn gaps_of(&self, profile: &Profile, engines: &[Engine<'_>]) -> &Gaps {
        self.gaps.get_or_init(|| self.new_gaps(profile, engines))
    }

    fn new_gaps(&self, profile: &Profile, engines: &[Engine<'_>]) -> Gaps {
        gaps_of(engines, &Causes::of(profile, &self.signals(profile)), None)
    }

    /// The critical path by semaphores.
    pub fn critical_path(&self, profile: &Profile) -> &CriticalPath {
        self.path.get_or_init(|| critical_path(&self.signals(profile), false))
    }
}
