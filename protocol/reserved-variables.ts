/**
 * Variables that choose where a program connects, what it loads, what it starts or whom it trusts.
 * A layer that several people share must not set them for the process that has a person's
 * credential: docs/launch-settings.md lists them for people.
 */
interface Group {
  /** Completes "X cannot be set by a profile or skill: it ...". */
  readonly why: string;
  /** Of the whole name, in capitals. */
  readonly names: RegExp;
  /** Harmless ones that the pattern would take along. */
  readonly except?: RegExp;
  /**
   * Cleared from the container's own environment too; the others are part of what an image is made
   * of.
   */
  readonly isCleared?: true;
}

const groups: readonly Group[] = [
  {
    why: 'configures a coding agent: its address, its credential or its settings',
    names:
      /^(ANTHROPIC|CLAUDE|CLAUDECODE|OPENAI|AZURE_OPENAI|CODEX|GEMINI|GOOGLE_(GEMINI|GENAI|VERTEX|API|AI|CLOUD|GENERATIVE)|VERTEX|MISTRAL|VIBE|OPENCODE|AMP|SVC)(_|$)|^(SRC_(ENDPOINT|ACCESS_TOKEN|HEADERS?)|CODE_ASSIST_ENDPOINT|IS_SANDBOX|INITIAL_AGENT_MODE|DEFAULT_AUTH_REQUEST|NO_BROWSER)$/,
    except:
      /^(ANTHROPIC(_SMALL_FAST|_DEFAULT_(OPUS|SONNET|HAIKU))?_MODEL|CLAUDE_CODE_(SUBAGENT_MODEL|MAX_OUTPUT_TOKENS)|GOOGLE_CLOUD_(PROJECT|LOCATION))$/,
    isCleared: true,
  },
  {
    why: 'sends telemetry to another address',
    names: /^(OTEL|TRACELOOP)_/,
    isCleared: true,
  },
  {
    why: 'makes programs load other code, or weakens their encryption',
    names: /^(LD_(PRELOAD|AUDIT)|SSLKEYLOGFILE|NODE_TLS_REJECT_UNAUTHORIZED)$/,
    isCleared: true,
  },
  {
    why: 'makes programs load other code',
    names:
      /^(LD|DYLD|GLIBC|NSS)_|^(GCONV_PATH|LOCPATH|NLSPATH|LIBPATH|SHLIB_PATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS)$/,
  },
  {
    why: 'makes an interpreter load other code or trust other servers',
    names:
      /^(NODE|TS_NODE|TSX|BUN|DENO|ELECTRON|VSCODE|PYTHON|PERL5?|RUBY|GEM|BUNDLE|LUA|PHP|ERL|DOTNET|CORECLR|COMPLUS|MONO|JULIA|_?JAVA|JDK|MAVEN|GRADLE|SBT|R)(_.*)?$|^(PYTHON[A-Z]+|PERL5?[A-Z]+|RUBY[A-Z]+|PHPRC|CLASSPATH|GUILE_LOAD_PATH|TCLLIBPATH|R_(PROFILE|ENVIRON|LIBS).*)$/,
    except: /^(NODE_ENV|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONHASHSEED)$/,
  },
  {
    why: 'changes how a shell starts or finds programs',
    names:
      /^(BASH.*|ENV|SHELLOPTS|SHELL|ZDOTDIR|FPATH|CDPATH|IFS|GLOBIGNORE|PROMPT_COMMAND|PS[0-4]|INPUTRC|PATH|HOME|USER|LOGNAME|PWD|OLDPWD|TMPDIR|TMP|TEMP|TERMCAP|TERMINFO(_DIRS)?|MANPATH|XDG_.*)$/,
  },
  {
    why: 'changes what git or ssh connects to or starts',
    names: /^(GIT|SSH|GPG|GH|GLAB)_|^GNUPGHOME$|^(GITHUB|GITLAB)_((API|SERVER|GRAPHQL)_)?(URL|URI|HOST)$/,
    except: /^(GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|GH_TOKEN)$/,
  },
  {
    why: 'sends connections through another machine',
    names: /(^|_)PROXY$|^GLOBAL_AGENT_|^PROXYCHAINS_|^SOCKS_/,
  },
  {
    why: 'changes which certificates are trusted',
    names: /^(SSL|OPENSSL|HTTPLIB2|CURL|GRPC)_|(^|_)CA_?(BUNDLE|CERTS?|FILE|PATH|INFO)$|(^|_)CAINFO$/,
  },
  {
    why: 'changes where a package manager or build tool gets its packages or programs',
    names:
      /^(NPM|YARN|PNPM|COREPACK|PIP|PIPX|UV|POETRY|CONDA|CARGO|RUSTUP|HOMEBREW|VOLTA|NVM|ASDF|MISE)_|^RUST(C|FLAGS|DOC).*$|^GO(FLAGS|ROOT|PATH|BIN|PROXY|SUMDB|NOSUMDB|PRIVATE|NOPROXY|INSECURE|TOOLCHAIN|ENV|AUTH|VCS|TMPDIR)$|^(CC|CXX|CPP|LD|AR|AS|MAKE|MAKEFLAGS|MAKEFILES|CMAKE_.*|ESBUILD_BINARY_PATH)$/,
  },
  {
    why: 'names a program that others start',
    names: /(^|_)(EDITOR|VISUAL|PAGER|ASKPASS|BROWSER)$|^LESS(OPEN|CLOSE)?$|^(MANPAGER|MANOPT)$/,
  },
  {
    why: 'changes which cloud or engine is used',
    names: /^(AWS|AZURE|CLOUDSDK|DOCKER|BUILDKIT|BUILDX|KUBE)_|^KUBECONFIG$|^GOOGLE_APPLICATION_CREDENTIALS$/,
    except:
      /^(AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|REGION|DEFAULT_REGION)|AZURE_(TENANT_ID|CLIENT_ID|CLIENT_SECRET))$/,
  },
];

const groupOf = (name: string): Group | undefined => {
  const capitals = name.toUpperCase();
  return groups.find(({ names, except }) => names.test(capitals) && !except?.test(capitals));
};

/** Why no shared layer may set the variable, whatever the case of its name; undefined: it may. */
export const whyReserved = (name: string): string | undefined => groupOf(name)?.why;

/**
 * Names that no known program reads, so that a project can choose them for its own application.
 * Other names may mean something to a program that nobody listed.
 */
export const isOfApplication = (name: string): boolean => /^APP_[A-Z0-9_]+$/.test(name);

/** Whether a container's own environment must not have it either when an agent is started in it. */
export const isClearedForAgents = (name: string): boolean => groupOf(name)?.isCleared === true;
