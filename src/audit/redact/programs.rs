//! Short options whose values are secrets. They mean something else to every program, so they are known
//! for some programs only.

/// Which short options of a program have a secret as their value.
#[derive(Debug)]
pub(super) struct Program {
    names: &'static [&'static str],
    /// Without this word before them they mean something else.
    pub(super) subcommand: Option<&'static str>,
    /// Their value is in the same word or in the next one.
    secret: &'static str,
    /// Their value is in the same word, or is asked for.
    attached: &'static str,
    /// Their value is in the next word, and they stand alone in theirs.
    alone: &'static str,
    /// Their value is a name and a password.
    login: &'static str,
    /// What stands between these two.
    pub(super) between: char,
    /// Options without a value, which may stand in front of them in the same word.
    flags: &'static str,
    /// Whether `-u` and `--user` name a user and a group, and no password.
    pub(super) has_groups: bool,
    /// Whether behind the subcommand the value of a setting stands in the word after its name.
    pub(super) has_settings: bool,
}

const NONE: Program = Program {
    names: &[],
    subcommand: None,
    secret: "",
    attached: "",
    alone: "",
    login: "",
    between: ':',
    flags: "",
    has_groups: false,
    has_settings: false,
};

const PROGRAMS: &[Program] = &[
    Program { names: &["curl"], login: "uUE", flags: "#0123456BGIJLMNOSZafgijklnpqsv", ..NONE },
    Program { names: &["http", "https", "xh", "xhs"], login: "a", ..NONE },
    Program {
        names: &[
            "mariadb",
            "mariadb-admin",
            "mariadb-dump",
            "mysql",
            "mysqladmin",
            "mysqlcheck",
            "mysqldump",
            "mysqlimport",
            "mysqlshow",
        ],
        attached: "p",
        ..NONE
    },
    Program {
        names: &[
            "mongo",
            "mongodump",
            "mongoexport",
            "mongoimport",
            "mongorestore",
            "mongosh",
            "mongostat",
        ],
        secret: "p",
        ..NONE
    },
    Program { names: &["sshpass"], secret: "p", flags: "ev", ..NONE },
    Program { names: &["redis-cli", "valkey-cli"], secret: "a", ..NONE },
    Program {
        names: &[
            "ldapadd",
            "ldapcompare",
            "ldapdelete",
            "ldapmodify",
            "ldapmodrdn",
            "ldappasswd",
            "ldapsearch",
            "ldapwhoami",
        ],
        secret: "w",
        flags: "ACLMZcnvx",
        ..NONE
    },
    Program { names: &["bcp", "sqlcmd", "unzip", "zip"], secret: "P", flags: "jqruv", ..NONE },
    Program { names: &["7z", "7za", "7zr", "7zz", "rar", "unrar"], attached: "p", ..NONE },
    Program { names: &["openssl"], alone: "kK", ..NONE },
    Program { names: &["lftp"], login: "u", between: ',', ..NONE },
    Program {
        names: &["rpcclient", "smbclient", "smbget"],
        login: "U",
        between: '%',
        flags: "Ngk",
        ..NONE
    },
    Program {
        names: &["docker", "nerdctl", "podman"],
        subcommand: Some("login"),
        secret: "p",
        has_groups: true,
        ..NONE
    },
    Program {
        names: &["az", "buildah", "cf", "helm", "oc", "skopeo"],
        subcommand: Some("login"),
        secret: "p",
        ..NONE
    },
    Program { names: &["aws"], subcommand: Some("configure"), has_settings: true, ..NONE },
    Program {
        names: &["composer", "git", "npm", "pip", "pnpm", "poetry", "pulumi", "yarn"],
        subcommand: Some("config"),
        has_settings: true,
        ..NONE
    },
];

/// What is known of a program, by its base name without a version.
pub(super) fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.names.contains(&name))
}

/// What a word of short options says about secrets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Short {
    /// Nothing.
    Nothing,
    /// The next word is a secret.
    NextIsSecret,
    /// The next word is a name with a password.
    NextIsLogin,
    /// From this place on the word is a secret.
    Secret(usize),
    /// From this place on the word is a name with a password.
    Login(usize),
}

impl Program {
    /// Reads a word that begins with one dash.
    pub(super) fn short(&self, word: &str) -> Short {
        let Some(letters) = word.strip_prefix('-') else { return Short::Nothing };
        if letters.len() == 1 && self.alone.contains(letters) {
            return Short::NextIsSecret;
        }
        for (place, letter) in letters.char_indices() {
            let behind = 1 + place + letter.len_utf8();
            let is_last = behind == word.len();
            if self.secret.contains(letter) {
                return if is_last { Short::NextIsSecret } else { Short::Secret(behind) };
            }
            if self.login.contains(letter) {
                return if is_last { Short::NextIsLogin } else { Short::Login(behind) };
            }
            if self.attached.contains(letter) && !is_last {
                return Short::Secret(behind);
            }
            if !self.flags.contains(letter) {
                break;
            }
        }
        Short::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_read_up_to_the_option_with_a_value() {
        let short = |name: &str, word: &str| program(name).unwrap().short(word);
        assert_eq!(short("curl", "-u"), Short::NextIsLogin);
        assert_eq!(short("curl", "-sSu"), Short::NextIsLogin);
        assert_eq!(short("curl", "-sSubob:x"), Short::Login(4));
        assert_eq!(short("curl", "-Hu:x"), Short::Nothing);
        assert_eq!(short("curl", "-"), Short::Nothing);
        assert_eq!(short("mysql", "-px"), Short::Secret(2));
        assert_eq!(short("mysql", "-p"), Short::Nothing);
        assert_eq!(short("sshpass", "-p"), Short::NextIsSecret);
        assert_eq!(short("openssl", "-k"), Short::NextIsSecret);
        assert_eq!(short("openssl", "-key"), Short::Nothing);
    }

    #[test]
    fn each_program_is_known_once() {
        let mut names: Vec<_> = PROGRAMS.iter().flat_map(|program| program.names).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
