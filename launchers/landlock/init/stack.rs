//! Where the second and the third process run: all three share the first one's memory until the
//! command's exec, so that nothing has to be copied.

/// A stack for one process.
#[repr(align(16))]
pub(crate) struct Stack {
    _room: [u8; Stack::SIZE],
}

impl Stack {
    /// The largest frames are the buffers of two paths, 8 KiB together.
    const SIZE: usize = 32 * 1024;

    pub(crate) const EMPTY: Stack = Stack { _room: [0; Stack::SIZE] };

    /// Where a stack begins.
    pub(crate) fn top(stack: *mut Stack) -> usize {
        stack as usize + Stack::SIZE
    }
}
