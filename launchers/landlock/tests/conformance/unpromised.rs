//! What this launcher does not promise.

use cofferdam_battery::Unpromised;

/// Where the system permits namespaces.
pub(crate) const WITH_NAMESPACES: &[Unpromised] = &[];

/// In place, where there are none.
pub(crate) const WITHOUT_NAMESPACES: &[Unpromised] = &[
    QUEUES,
    metadata("the_mode_of_a_file_outside_is_not_changed"),
    metadata("the_mode_is_not_changed_through_an_o_path_descriptor"),
    metadata("the_times_of_a_file_outside_are_not_changed"),
    metadata("the_attributes_of_a_file_outside_are_not_changed"),
    metadata("the_owner_of_a_file_outside_is_not_changed"),
    metadata("the_mode_of_a_readable_file_is_not_changed"),
    metadata("the_times_of_a_readable_file_are_not_changed"),
    metadata("the_attributes_of_a_readable_file_are_not_changed"),
    metadata("the_flags_of_a_readable_file_are_not_changed"),
    metadata("a_file_outside_is_not_looked_at"),
    metadata("a_file_outside_is_not_looked_at_by_statx"),
    metadata("it_is_not_told_whether_a_file_outside_is_there"),
    metadata("a_link_outside_is_not_looked_at"),
    metadata("a_folder_outside_is_not_entered"),
    metadata("a_file_outside_is_not_watched"),
    protect("a_git_hook_is_not_changed"),
    protect("a_git_hook_is_not_replaced"),
    protect("a_git_hook_is_not_removed"),
    protect("no_git_hook_is_added"),
    protect("the_settings_of_a_repository_are_not_changed"),
    protect("the_settings_of_a_repository_are_not_replaced"),
    protect("a_repository_is_not_moved_away_and_built_anew"),
    protect("the_hooks_are_not_moved_away"),
    protect("the_hooks_are_not_exchanged_for_others"),
    protect("a_hook_of_a_repository_farther_down_is_not_changed"),
    protect("a_hook_of_a_repository_farther_down_is_not_replaced"),
    protect("no_hook_is_added_to_a_repository_farther_down"),
    protect("the_settings_of_a_repository_farther_down_are_not_changed"),
    protect("a_repository_farther_down_is_not_moved_away_and_built_anew"),
    protect("mcp_servers_are_not_changed"),
    protect("mcp_servers_are_not_replaced"),
    protect("the_settings_of_an_assistant_are_not_changed"),
    protect("the_folder_of_an_assistants_settings_is_not_moved_away"),
    protect("the_rules_of_an_editor_are_not_changed"),
    protect("nothing_is_added_to_the_rules_of_an_editor"),
    protect("the_tasks_of_an_editor_are_not_changed"),
    protect("the_settings_of_an_editor_are_not_changed"),
    protect("the_variables_of_a_folder_are_not_changed"),
    protect("the_container_of_a_workspace_is_not_changed"),
    protect("a_protected_file_is_not_moved_away_by_a_link_to_its_folder"),
    protect("a_folder_that_a_profile_protects_stays_as_it_is"),
    processes("the_command_line_of_another_process_is_not_read"),
    processes("the_state_of_another_process_is_not_read"),
    processes("other_processes_are_not_listed"),
    processes("another_process_is_not_slowed_down"),
    processes("another_process_is_not_pinned_to_a_processor"),
    processes("a_daemon_does_not_outlive_its_run"),
    processes("the_list_of_keys_is_not_read"),
    processes("a_program_can_trace_its_own_child"),
    loopback("the_interfaces_of_the_host_are_not_listed"),
    loopback("a_run_can_talk_to_itself_over_tcp"),
    ipc("shared_memory_of_the_host_is_not_read"),
    ipc("shared_memory_of_the_host_is_not_written"),
    ipc("a_message_to_somebody_else_is_not_read"),
    ipc("no_message_is_sent_to_a_queue_of_the_host"),
    ipc("a_semaphore_of_the_host_is_not_set"),
    ipc("a_posix_queue_of_the_host_is_not_read"),
    ipc("a_file_in_the_shared_memory_of_the_host_is_not_read"),
    ipc("no_file_is_made_in_the_shared_memory_of_the_host"),
    ipc("the_fixed_temporary_folder_can_be_written"),
    pty("another_terminal_of_the_host_is_not_written_to"),
    deny("what_is_denied_in_the_workspace_is_not_read"),
    deny("what_is_denied_in_the_workspace_is_not_moved_into_sight"),
    deny("what_is_denied_is_not_uncovered_by_moving_the_folder_above"),
    deny("what_hides_a_denied_folder_is_not_taken_off"),
    deny("what_hides_a_denied_file_is_not_taken_off"),
    sockets("a_listener_in_the_workspace_can_be_connected_to"),
];

/// Queues are files of a file system to which a path leads only where somebody has mounted it.
const QUEUES: Unpromised = Unpromised {
    promise: "processes_can_use_posix_queues",
    because: "Landlock closes POSIX message queues, which no rule can name unless they are mounted",
    instead: "landlock with namespaces, or bubblewrap",
};

const fn metadata(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "the kernel has no rule for what files are like, only a view without them helps",
    )
}

const fn protect(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "Landlock cannot take anything back below a folder that may be written",
    )
}

const fn processes(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "the processes of the host are in sight without a process namespace",
    )
}

const fn loopback(promise: &'static str) -> Unpromised {
    only_with_namespaces(promise, "all internet sockets are refused without a network namespace")
}

const fn ipc(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "the objects of the host are in sight without an IPC namespace and a /dev/shm of its own",
    )
}

const fn pty(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "the terminals of the host are in sight without a /dev/pts of its own",
    )
}

const fn deny(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "a `deny` below a granted folder is refused, since Landlock cannot take anything back",
    )
}

const fn sockets(promise: &'static str) -> Unpromised {
    only_with_namespaces(
        promise,
        "all Unix sockets but pairs are refused, since the kernel cannot tell their files apart before Linux 7.1",
    )
}

const fn only_with_namespaces(promise: &'static str, because: &'static str) -> Unpromised {
    Unpromised { promise, because, instead: "the same launcher with namespaces" }
}
