//! What a beam refuses, and says why.
