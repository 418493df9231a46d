use super::*;

fn sample() -> (Vec<u8>, Batch) {
    let ints = [Some(1), None, Some(i64::MIN)];
    let floats = [Some(0.5), Some(-1e300), None];
    let flags = [Some(true), None, Some(false)];
    let texts = [Some("ä"), Some(""), None];
    let bytes = stream(
        &[
            ("n", Array::ints(ints.into_iter())),
            ("small", Array::ints32([Some(-7), Some(0), None].into_iter())),
            ("f", Array::floats(floats.into_iter())),
            ("g", Array::floats32([None, Some(1.5), Some(2.0)].into_iter())),
            ("is", Array::flags(flags.into_iter())),
            ("text", Array::texts(texts.into_iter())),
            ("word", Array::words([Some(1), None, Some(1)].into_iter(), ["x", "y"].into_iter())),
        ],
        3,
    );
    let columns = [
        ("n", Values::Ints(ints.to_vec())),
        ("small", Values::Ints(vec![Some(-7), Some(0), None])),
        ("f", Values::Floats(floats.to_vec())),
        ("g", Values::Floats(vec![None, Some(1.5), Some(2.0)])),
        ("is", Values::Flags(flags.to_vec())),
        ("text", Values::Texts(texts.iter().map(|t| t.map(String::from)).collect())),
        ("word", Values::Words(vec![Some(1), None, Some(1)], vec!["x".into(), "y".into()])),
    ];
    (bytes, Batch { columns: columns.into_iter().map(|(name, values)| (name.to_string(), values)).collect(), n_rows: 3 })
}

#[test]
fn what_is_written_is_read() {
    let (bytes, batch) = sample();
    let file = [MAGIC, &bytes, b"footer ARROW1"].concat();
    assert_eq!((read(&bytes), read(&file)), (Ok(batch.clone()), Ok(batch)));
    let none = stream(&[("n", Array::ints(std::iter::empty())), ("t", Array::texts(std::iter::empty()))], 0);
    assert_eq!(read(&none).map(|b| (b.n_rows, b.columns.len())), Ok((0, 2)));
}

#[test]
fn messages_are_aligned() {
    let (bytes, _) = sample();
    let words = stream(&[("w", Array::words([Some(1), None, Some(0)].into_iter(), ["a", "b"].into_iter()))], 3);
    for bytes in [&bytes, &words] {
        assert_eq!(bytes.len() % 8, 0);
        assert_eq!(&bytes[bytes.len() - 8..], [255, 255, 255, 255, 0, 0, 0, 0]);
        let length = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        assert_eq!(length % 8, 0);
    }
    let expected = Values::Words(vec![Some(1), None, Some(0)], vec!["a".into(), "b".into()]);
    assert_eq!(read(&words).map(|batch| batch.columns), Ok(vec![("w".to_string(), expected)]));
    let outside = stream(&[("w", Array::words([Some(2)].into_iter(), ["a", "b"].into_iter()))], 1);
    assert!(read(&outside).unwrap_err().to_string().contains("damaged"));
}

#[test]
fn what_is_no_stream_is_a_sentence() {
    for bytes in [&b""[..], b"PAR1", &[255; 64]] {
        assert!(read(bytes).unwrap_err().to_string().ends_with('.'));
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod arbitrary {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn damaged_streams_end_in_rows_or_a_sentence(at in 0usize..4096, value in any::<u8>(), cut in 0usize..4096) {
            let (mut bytes, _) = sample();
            let n = bytes.len();
            bytes[at % n] = value;
            bytes.truncate(n - cut % n);
            if let Ok(batch) = read(&bytes) {
                prop_assert!(batch.n_rows <= 1 << 20);
            }
        }

        #[test]
        fn arbitrary_bytes_end_in_rows_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = read(&bytes);
        }
    }
}
