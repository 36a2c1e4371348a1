//! The network namespace of a run: a loopback, and nothing else.

use crate::entry;
use crate::numbers;
use crate::system;

pub(crate) const CLONE_NEWNET: u32 = 0x4000_0000;

/// A new network namespace has a loopback that is down (`netdevice(7)`).
pub(crate) fn bring_loopback_up() -> Result<(), u32> {
    const AF_INET: usize = 2;
    const SOCK_DGRAM_CLOEXEC: usize = 0o2000002;
    const SIOCSIFFLAGS: usize = 0x8914;
    const IFF_UP: u16 = 1;
    #[repr(C)]
    struct Request {
        name: [u8; 16],
        flags: u16,
        rest: [u8; 22],
    }
    let mut request = Request { name: [0; 16], flags: IFF_UP, rest: [0; 22] };
    request.name[0] = b'l';
    request.name[1] = b'o';
    let socket = system::socket(AF_INET, SOCK_DGRAM_CLOEXEC)?;
    let args = [socket.number() as usize, SIOCSIFFLAGS, &raw const request as usize, 0, 0, 0];
    // SAFETY: the kernel reads `struct ifreq`, which has 40 bytes like `request`.
    unsafe { entry::call(numbers::IOCTL, args) }.map(drop)
}
