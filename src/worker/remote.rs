//! Files on a server: `public/connect/remote.js` reads them in the worker, by ranges, once each. In the page such a file is a `File` with a property
//! `remote`, its description as plain data; in the worker it is an object with `size`, `slice` and `read`, made of that description.

use crate::base::{ByteSource, SourceError};
use js_sys::{ArrayBuffer, Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, File, Worker};

const SCRIPT: &str = "connect/remote.js";
/// The function that the script defines.
const OPEN: &str = "axonscopeRemote";

/// What is sent to a worker instead of a file on a server; `None` for a file of this machine.
pub fn description(file: &File) -> Option<JsValue> {
    Reflect::get(file, &"remote".into()).ok().filter(JsValue::is_object)
}

/// Address of a file of this site: a worker that was started by a blob has no address to which another could be relative.
pub(super) fn site_file(name: &str) -> String {
    let base = Reflect::get(&js_sys::global(), &"axonscopeBase".into()).ok().and_then(|base| base.as_string());
    format!("{}{name}", base.as_deref().unwrap_or("./"))
}

/// A further worker with the script of this one; `None` where the browser does not start it.
pub(super) fn another_like_this() -> Option<Worker> {
    let location = Reflect::get(&js_sys::global(), &"location".into()).ok()?;
    Worker::new(&Reflect::get(&location, &"href".into()).ok()?.as_string()?).ok()
}

/// Whether the bytes are on a server. In a worker.
pub(super) fn is_remote(file: &File) -> bool {
    !file.has_type::<Blob>()
}

/// The file of a message: itself, or one on a server by its description. Fails with the browser's words.
pub(super) fn file(sent: JsValue) -> Result<File, SourceError> {
    if sent.has_type::<Blob>() {
        return Ok(sent.unchecked_into());
    }
    open(&sent).map(JsCast::unchecked_into).map_err(|e| super::error::refused(&e))
}

fn open(description: &JsValue) -> Result<JsValue, JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let script = || Reflect::get(&scope, &OPEN.into());
    if !script()?.is_function() {
        scope.import_scripts_1(&site_file(SCRIPT))?;
    }
    script()?.dyn_into::<Function>()?.call1(&JsValue::NULL, description)
}

/// A file on a server as a member of an input set. Works in a worker only.
pub(super) struct RemoteSource(pub File);

impl ByteSource for RemoteSource {
    fn len(&self) -> u64 {
        self.0.size() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        let read = || {
            let read: Function = Reflect::get(&self.0, &"read".into())?.dyn_into()?;
            read.call2(&self.0, &(offset as f64).into(), &(out.len() as f64).into())
        };
        let buffer: ArrayBuffer = read().and_then(JsCast::dyn_into).map_err(|e| super::error::refused(&e))?;
        super::buffers::copy_out(&buffer, out)
    }
}
