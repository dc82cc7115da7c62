// Why better-sqlite3 could not be compiled, in one sentence. The log of a native build is long, and most of it is
// about something else than what is missing.

/** The first pattern that is found in the log, or in what loading the result said, names the cause. */
const causes = [
  {
    pattern: /Could not find any Python installation/,
    missing: 'Python 3 is not installed',
    install: 'install it with a C++ compiler and make',
  },
  {
    pattern: /not found: make\b|\bmake: (?:command )?not found|spawn make ENOENT/,
    missing: 'make is not installed',
    install: 'install make and a C++ compiler',
  },
  {
    pattern:
      /\b(?:g\+\+|c\+\+|gcc|cc|clang(?:\+\+)?)(?:-\d+)?: (?:No such file or directory|(?:command )?not found)|find Visual Studio|No Xcode or CLT/,
    missing: 'there is no C++ compiler',
    install: 'install one',
  },
  {
    pattern: /common\.gypi not found|fatal error: '?node(?:_api|_version)?\.h'?/,
    missing: 'the directory that npm_config_nodedir names has no headers of Node',
    install: 'unset it or let it name where Node is installed',
  },
  {
    pattern: /got an error, rolling back install/,
    missing: 'the headers of Node could not be fetched from nodejs.org',
    install: 'let npm_config_nodedir name a directory that has them in include/node',
  },
  {
    pattern:
      /NODE_MODULE_VERSION|\bv8(?:-[a-z-]+)?(?:\.h|::)[^\n]*\n?[^\n]*\berror:|\berror:[^\n]*\bv8::/i,
    missing: 'the headers that it was compiled with are of another Node',
    install: 'let npm_config_nodedir name where this Node is installed',
  },
];

const unknown = {
  missing: 'the build failed',
  install: 'repair what the log names',
};

const notBuilt = {
  missing: 'npm ran no build (npm config get ignore-scripts)',
  install: 'run npm rebuild better-sqlite3 --ignore-scripts=false',
};

/** `log`: what the build said; `loading`: what was said when its result was loaded. */
export function explainSqliteBuild({ log, loading, logFile, node = process.versions.node }) {
  const { missing, install } = causeOf(log, loading);
  return (
    `SQLite could not be compiled for Node ${node} because ${missing}: ${install}, ` +
    `or use Node 22.13 or newer, which has SQLite built in (the log of the build: ${logFile}).`
  );
}

function causeOf(log, loading) {
  const found = causes.find(({ pattern }) => pattern.test(log) || pattern.test(loading));
  if (found !== undefined) return found;
  return /\bgyp\b|error/i.test(log) ? unknown : notBuilt;
}
