//! The program `cofferdam`.

fn main() -> std::process::ExitCode {
    cofferdam::cli::main()
}
