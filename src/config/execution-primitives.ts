/**
 * Environment variables through which somebody runs code of theirs in a program that was meant to run its own: search
 * paths, preloads, startup files, options of interpreters, helpers that are called by name. Refused for a spawned
 * provider in any letter case, since some programs read them so.
 *
 * A list can only name what is known. What holds the line is that the block stands in the owner's own file and that a
 * change of it asks again; this list keeps a copied recipe from doing more than it says.
 */

const NAMES: ReadonlySet<string> = new Set(
  [
    // Shells and the search for programs and libraries.
    'PATH PATHEXT COMSPEC SHELL SHELLOPTS BASHOPTS BASH_ENV BASH_LOADABLES_PATH ENV KSH_ENV ZDOTDIR IFS CDPATH FPATH',
    'PS0 PS1 PS2 PS4 PROMPT_COMMAND GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES SHLIB_PATH LIBPATH',
    // Interpreters.
    'NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_TLS_REJECT_UNAUTHORIZED ELECTRON_RUN_AS_NODE',
    'BUN_OPTIONS DENO_DIR PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE',
    'PYTHONWARNINGS PYTHONEXECUTABLE PYTHONPLATLIBDIR PERL5LIB PERLLIB PERL5OPT PERL5DB PERL5SHELL RUBYOPT RUBYLIB',
    'GEM_PATH GEM_HOME BUNDLE_GEMFILE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH JAVA_HOME',
    'DOTNET_STARTUP_HOOKS CORECLR_PROFILER CORECLR_ENABLE_PROFILING COR_PROFILER COR_ENABLE_PROFILING',
    'LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER R_LIBS',
    'ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS GUILE_LOAD_PATH TCLLIBPATH JULIA_LOAD_PATH GOFLAGS RUSTC_WRAPPER',
    // Helpers that programs call by the name a variable gives.
    'EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS SUDO_ASKPASS DISPLAY_COMMAND CC CXX LD',
    'OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES TERMINFO TERMINFO_DIRS TERMCAP',
    // What Coldseal sets itself.
    'TMPDIR PWD OLDPWD',
  ].flatMap((line) => line.split(' ')),
);

const BEGINNINGS = ['LD_', 'DYLD_', 'GIT_', 'BASH_FUNC_', 'NPM_CONFIG_', 'MALLOC_', 'PYTHONSTARTUP'];

/** Ends a sentence that names the variable, or `null` when it may be set. */
export function executionPrimitive(name: string): string | null {
  const upper = name.toUpperCase();
  const refused = NAMES.has(upper) || BEGINNINGS.some((beginning) => upper.startsWith(beginning));
  return refused ? 'decides what code a program runs, or is set by Coldseal; it cannot be set here' : null;
}
