"""System calls by number: those that reading a file never needs, and those that it needs for its own process alone."""

from dataclasses import dataclass

_X86_64 = {
    "socket": 41,
    "connect": 42,
    "accept": 43,
    "sendto": 44,
    "sendmsg": 46,
    "bind": 49,
    "listen": 50,
    "socketpair": 53,
    "fork": 57,
    "vfork": 58,
    "execve": 59,
    "kill": 62,
    "chmod": 90,
    "fchmod": 91,
    "chown": 92,
    "fchown": 93,
    "lchown": 94,
    "ptrace": 101,
    "rt_sigqueueinfo": 129,
    "utime": 132,
    "setpriority": 141,
    "mount": 165,
    "umount2": 166,
    "init_module": 175,
    "setxattr": 188,
    "lsetxattr": 189,
    "fsetxattr": 190,
    "removexattr": 197,
    "lremovexattr": 198,
    "fremovexattr": 199,
    "tkill": 200,
    "utimes": 235,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "ioprio_set": 251,
    "migrate_pages": 256,
    "fchownat": 260,
    "futimesat": 261,
    "fchmodat": 268,
    "unshare": 272,
    "move_pages": 279,
    "utimensat": 280,
    "accept4": 288,
    "rt_tgsigqueueinfo": 297,
    "perf_event_open": 298,
    "open_by_handle_at": 304,
    "sendmmsg": 307,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "bpf": 321,
    "execveat": 322,
    "userfaultfd": 323,
}
_AARCH64 = {
    "setxattr": 5,
    "lsetxattr": 6,
    "fsetxattr": 7,
    "removexattr": 14,
    "lremovexattr": 15,
    "fremovexattr": 16,
    "ioprio_set": 30,
    "umount2": 39,
    "mount": 40,
    "fchmod": 52,
    "fchmodat": 53,
    "fchownat": 54,
    "fchown": 55,
    "utimensat": 88,
    "unshare": 97,
    "init_module": 105,
    "ptrace": 117,
    "kill": 129,
    "tkill": 130,
    "rt_sigqueueinfo": 138,
    "setpriority": 140,
    "socket": 198,
    "socketpair": 199,
    "bind": 200,
    "listen": 201,
    "accept": 202,
    "connect": 203,
    "sendto": 206,
    "sendmsg": 211,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "execve": 221,
    "migrate_pages": 238,
    "move_pages": 239,
    "rt_tgsigqueueinfo": 240,
    "perf_event_open": 241,
    "accept4": 242,
    "open_by_handle_at": 265,
    "setns": 268,
    "sendmmsg": 269,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "bpf": 280,
    "execveat": 281,
    "userfaultfd": 282,
}
# Since 2019 calls are numbered alike everywhere.
_EVERYWHERE = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,  # it does nearly all of this unseen
    "io_uring_enter": 426,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "process_mrelease": 448,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "file_setattr": 469,
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """How one kind of processor numbers its calls."""

    audit_number: int
    refused: frozenset[int]
    own_process_only: frozenset[int]  # the first argument says whose; all others but 0 are refused
    signalling_process: frozenset[int]  # the same, but for 0: abort() of the C library signals its own thread
    fcntl: int
    clone: int


ARCHITECTURES = {
    "x86_64": Architecture(
        audit_number=0xC000003E,
        refused=frozenset({*_X86_64.values(), *_EVERYWHERE.values()}),
        # sched_setparam, sched_setscheduler, sched_setaffinity, prlimit64, sched_setattr
        own_process_only=frozenset({142, 144, 203, 302, 314}),
        signalling_process=frozenset({234}),
        fcntl=72,
        clone=56,
    ),
    "aarch64": Architecture(
        audit_number=0xC00000B7,
        refused=frozenset({*_AARCH64.values(), *_EVERYWHERE.values()}),
        own_process_only=frozenset({118, 119, 122, 261, 274}),
        signalling_process=frozenset({131}),
        fcntl=25,
        clone=220,
    ),
}
"""By the name that the machine gives itself."""

CLONE_3 = 435
SIGNAL_OWNERS = (8, 10, 15)
"""What fcntl takes to have the kernel signal any process when a file can be read: F_SETOWN, F_SETSIG, F_SETOWN_EX."""
