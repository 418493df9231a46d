//! What the user has chosen: state, actions, the URL fragment.
