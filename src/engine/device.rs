//! Questions to a device profile, with the tables that stay in the file.

use super::{Answer, Session, told};
use crate::analysis::device::instruction::{self, InstructionFacts};
use crate::analysis::device::{self, DeviceAnswer, DeviceQuery, Summary, cells, origin, sbuf, tensors};
use crate::base::{SliceId, TimeRange};
use crate::formats::{self, Field};
use crate::model::program::EngineProgram;
use crate::model::{Cell, Domain, GenericTable, NeuronDevice};
use std::borrow::Cow;

/// Rows of a table of allocations that are looked at.
const MOST_ROWS: u64 = 1_000_000;
/// Rows that are read at once.
const PAGE: u64 = 50_000;

impl Session {
    pub(super) fn device(&self, query: &DeviceQuery) -> Answer {
        match query {
            DeviceQuery::Tensors => {
                let info = self.whole_table("TensorInfo");
                let mut found = tensors::tensors(&self.profile, info.as_deref());
                match self.whole_table("SbufAllocation") {
                    Some(table) => found.maps = sbuf::parts(&table),
                    None => found
                        .notes
                        .push("The map of the State Buffer is not available: needs the table SbufAllocation of Neuron Explorer.".into()),
                }
                Answer::Device(DeviceAnswer::Tensors(Box::new(found)))
            }
            DeviceQuery::Bands => {
                let info = self.whole_table("TensorInfo");
                Answer::Device(DeviceAnswer::Bands(tensors::bands(&self.profile, info.as_deref())))
            }
            DeviceQuery::Advice => {
                let info = self.whole_table("TensorInfo");
                Answer::Device(DeviceAnswer::Advice(Box::new(device::advice::advice_of(&self.profile, info.as_deref()))))
            }
            DeviceQuery::SbufMap(query) => match self.whole_table("SbufAllocation") {
                Some(table) => Answer::Device(DeviceAnswer::SbufMap(Box::new(sbuf::map(&table, query)))),
                None => Answer::Refused("This profile has no table `SbufAllocation`.".into()),
            },
            DeviceQuery::Program(query) => match self.programs() {
                Ok(programs) => Answer::Device(DeviceAnswer::Program(Box::new(device::program::program(&self.profile, &programs, *query)))),
                Err(sentence) => Answer::Refused(sentence),
            },
            DeviceQuery::AgreementPart => match self.agreement_part() {
                Ok(part) => Answer::Device(DeviceAnswer::AgreementPart(Box::new(part))),
                Err(sentence) => Answer::Refused(sentence),
            },
            DeviceQuery::Agreement(other) => match self.agreement_part() {
                Ok(part) => Answer::Device(DeviceAnswer::Agreement(device::agreement::agreement(&part, other))),
                Err(sentence) => Answer::Refused(sentence),
            },
            DeviceQuery::Summary(range) => Answer::Device(DeviceAnswer::Summary(self.summary(*range))),
            DeviceQuery::ComparePart => {
                let part = device::compare::part_of(&self.profile, &self.summary(None));
                Answer::Device(DeviceAnswer::ComparePart(Box::new(part)))
            }
            DeviceQuery::ExplainPart(query) => {
                let part = device::explain::part_of(&self.profile, query, &self.summary(query.range));
                Answer::Device(DeviceAnswer::ExplainPart(Box::new(part)))
            }
            // With the colours that the timeline has already.
            DeviceQuery::Layers(query) => {
                let slots = self.slots("name", &self.profile.slices.name);
                Answer::Device(DeviceAnswer::Layers(device::layers::layers(&self.profile, query, &slots)))
            }
            _ => Answer::Device(device::answer(&self.profile, query)),
        }
    }

    /// The programs that the file holds; where it holds none, the words that were executed.
    fn programs(&self) -> Result<Vec<EngineProgram>, String> {
        let format = formats::by_id(&self.claim.format).ok_or_else(|| format!("The format `{}` is not known.", self.claim.format))?;
        if let Some(programs) = format.programs(&self.input, &self.profile) {
            return programs.map_err(|error| error.to_string());
        }
        let (mut programs, slices) = device::program::executed(&self.profile);
        let fields = told::fields(format, &self.input, &self.profile, &slices, &[&["operands"]])?;
        let words = programs.iter_mut().flat_map(|program| &mut program.words);
        for (word, operands) in words.zip(fields) {
            word.operands = operands.concat().trim().into();
        }
        Ok(programs)
    }

    /// The summary, with what the file's schema says where its rows say nothing.
    pub(super) fn summary(&self, range: Option<TimeRange>) -> Summary {
        let mut found = device::summary::summary(&self.profile, range);
        let help = self.schema("Summary");
        for metric in found.metrics.iter_mut().filter(|m| m.meaning.is_empty()) {
            metric.meaning = help.iter().find(|h| h.0 == metric.name).map(|h| h.1.clone()).unwrap_or_default();
        }
        found
    }

    /// What the record of a device's instruction means, with the tables that its ids point into.
    pub(super) fn instruction(&self, slice: SliceId, fields: &[Field]) -> Option<Box<InstructionFacts>> {
        let Domain::NeuronDevice(device) = &self.profile.domain else { return None };
        // Collectives, barriers and transfers have no program counter.
        device.pc.get(slice.index()).filter(|pc| **pc != NeuronDevice::ABSENT)?;
        let fields: Vec<(&str, &str)> = fields.iter().map(|f| (f.key.as_str(), f.value.as_str())).collect();
        let find = |table: &str, key: &[(&str, &str)]| self.find_row(table, key);
        Some(Box::new(instruction::facts(&self.profile, slice, &fields, &find)))
    }

    /// The row that [`origin::Find`] asks for, also when the rows stay in the file.
    fn find_row(&self, id: &str, key: &[(&str, &str)]) -> Option<origin::Row> {
        let table = self.profile.tables.iter().find(|t| t.id == id)?;
        let place = |column: &str| table.columns.iter().position(|c| c == column);
        let ((column, value), others) = key.split_first()?;
        let at = place(column)?;
        let others: Vec<(usize, &str)> = others.iter().filter_map(|(column, value)| Some((place(column)?, *value))).collect();
        let is_it = |row: &&Vec<Cell>| {
            cells::text(row, Some(at)).is_some_and(|text| text == *value)
                && others.iter().all(|(at, value)| cells::text(row, Some(*at)).is_none_or(|text| text == *value))
        };
        let told = |row: &Vec<Cell>| {
            let cell = |(i, name): (usize, &String)| Some((name.clone(), cells::text(row, Some(i))?));
            table.columns.iter().enumerate().filter_map(cell).collect()
        };
        if table.n_in_file == 0 {
            return table.rows.iter().find(is_it).map(told);
        }
        let mut first = 0;
        while first < table.n_in_file.min(MOST_ROWS) {
            let Answer::Table(part) = self.table(id, first, PAGE) else { return None };
            if let Some(row) = part.rows.iter().find(is_it) {
                return Some(told(row));
            }
            if part.rows.is_empty() {
                return None;
            }
            first += part.rows.len() as u64;
        }
        None
    }

    /// What the file says of the columns of a table, one for each; none where it says nothing.
    pub(super) fn table_help(&self, id: &str) -> Vec<String> {
        let help = self.schema(id);
        let columns = self.profile.tables.iter().find(|t| t.id == id).map(|t| t.columns.as_slice()).unwrap_or_default();
        let of = |column: &String| help.iter().find(|h| h.0 == *column).map(|h| h.1.clone()).unwrap_or_default();
        if help.is_empty() { Vec::new() } else { columns.iter().map(of).collect() }
    }

    /// (column, meaning with its unit) of a table, as Neuron Explorer's schema or the profiler's terminology tell.
    fn schema(&self, table: &str) -> Vec<(String, String)> {
        if let Some(fields) = self.whole_table("SchemaFields") {
            let columns = cells::columns(&fields, [&["table_name"], &["field_name"], &["field_description"], &["field_unit"]]);
            let of = |row: &Vec<Cell>| {
                let text = |at: usize| cells::text(row, columns[at]).unwrap_or_default();
                let unit = if text(3).is_empty() { String::new() } else { format!(" Unit: {}.", text(3).replace('_', " ")) };
                (text(0) == table).then(|| (text(1), text(2) + &unit))
            };
            return fields.rows.iter().filter_map(of).collect();
        }
        let words = self.profile.tables.iter().find(|t| t.id == "terminology").filter(|_| table == "summary");
        let pairs = words.and_then(|t| Some(t.columns.iter().zip(t.rows.first()?)));
        let of = |(name, cell): (&String, &Cell)| if let Cell::Text(text) = cell { Some((name.clone(), text.clone())) } else { None };
        pairs.into_iter().flatten().filter_map(of).collect()
    }

    /// A table with its rows, up to a bound, also when they stay in the file.
    fn whole_table(&self, id: &str) -> Option<Cow<'_, GenericTable>> {
        let table = self.profile.tables.iter().find(|t| t.id == id)?;
        if table.n_in_file == 0 {
            return Some(Cow::Borrowed(table));
        }
        let mut whole = GenericTable { id: table.id.clone(), columns: table.columns.clone(), ..GenericTable::default() };
        while (whole.rows.len() as u64) < table.n_in_file.min(MOST_ROWS) {
            match self.table(id, whole.rows.len() as u64, PAGE) {
                Answer::Table(part) if !part.rows.is_empty() => whole.rows.extend(part.rows),
                _ => break,
            }
        }
        whole.n_more = table.n_in_file.saturating_sub(whole.rows.len() as u64);
        Some(Cow::Owned(whole))
    }
}
