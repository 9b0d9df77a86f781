/**
 * Repositories whose settings name programs. Each program writes a canary: a file in `$CANARY`
 * named after the attack. `trigger` runs git as a user at a terminal and proves that the `live`
 * attacks work with this git version.
 */
export interface HostileRepository {
  readonly title: string;
  readonly setup: string;
  readonly trigger: string;
  readonly live: readonly string[];
}

/** Shell: `program NAME` prints a command that writes the canary and passes its input on. */
const helpers = `
export GIT_TERMINAL_PROMPT=0
mkdir -p "$CANARY" && chmod 777 "$CANARY"
program() { printf '%s' "touch '$CANARY/$1'; cat"; }
commit() { git -c user.name=a -c user.email=a@example.com -c core.hooksPath=/dev/null commit -q "$@"; }
`;

const everySetting: HostileRepository = {
  title: 'settings, attributes, hooks, includes and submodules',
  setup: `
for f in clean process equals quote star info include diffdriver textconv external; do printf 'old\\n' >"$f.file"; done
git add . && commit -m files
printf '%s\\n' 'clean.file filter=clean' 'process.file filter=process' 'equals.file filter=a=b' "quote.file filter=it's" \\
  'star.file filter=*' 'include.file filter=include' 'diffdriver.file diff=driver' 'textconv.file diff=conv' >.gitattributes
git add .gitattributes && commit -m attributes
printf 'info.file filter=info\\n' >.git/info/attributes
for f in *.file; do printf 'new\\n' >"$f"; done
git config filter.clean.clean "$(program clean)"; git config filter.clean.required true
git config filter.clean.smudge "$(program smudge)"
git config filter.process.process "$(program process)"
git config 'filter.a=b.clean' "$(program equals)"; git config 'filter.a=b.required' true
git config "filter.it's.clean" "$(program quote)"
git config 'filter.*.clean' "$(program star)"
git config filter.info.clean "$(program info)"
printf '[filter "include"]\\n\\tclean = "%s"\\n' "$(program include)" >.git/more
git config include.path more
git config diff.driver.command "touch $CANARY/diffdriver; true"
git config diff.conv.textconv "touch $CANARY/textconv; cat"
git config diff.external "touch $CANARY/external; true"
git config core.pager "$(program pager)"; git config pager.status "$(program pager)"
git config core.editor "touch $CANARY/editor"
git config alias.status "!touch $CANARY/alias"
git config gpg.program "touch $CANARY/gpg"; git config log.showSignature true
git config hook.configured.event post-checkout; git config hook.configured.command "touch $CANARY/confighook"
git config core.alternateRefsCommand "touch $CANARY/alternates"
mkdir -p .git/hooks
for hook in post-checkout post-index-change reference-transaction; do
  printf '#!/bin/sh\\ntouch "%s"\\n' "$CANARY/hook-$hook" >".git/hooks/$hook"; chmod +x ".git/hooks/$hook"
done
git init -q inner && (cd inner && echo a >a && echo 'a filter=inner' >.gitattributes && git add . && commit -m inner)
git add inner 2>/dev/null && commit -m submodule
(cd inner && echo b >a && git config filter.inner.clean "$(program inner)" && git config core.fsmonitor "touch $CANARY/inner-fsmonitor; true")
git config submodule.recurse true; git config diff.submodule diff; git config status.submoduleSummary true
git config extensions.worktreeConfig true; git config core.repositoryFormatVersion 1
git config --worktree core.fsmonitor "touch $CANARY/fsmonitor; true"
`,
  trigger: `
git status; git update-ref refs/heads/trigger HEAD; git update-ref -d refs/heads/trigger
git diff; git diff --no-ext-diff --textconv -- textconv.file; git checkout -q -f HEAD -- clean.file; printf 'new\\n' >clean.file; git diff --stat
git checkout -q HEAD; true`,
  live: [
    ...['clean', 'smudge', 'process', 'equals', 'quote', 'star', 'info', 'include', 'external', 'fsmonitor'],
    ...['diffdriver', 'textconv', 'inner', 'inner-fsmonitor', 'hook-reference-transaction'],
    ...['hook-post-index-change', 'hook-post-checkout'],
  ],
};

/** A commit with a missing object, to be fetched from a remote that the repository names. */
function missingContent(name: string, live: readonly string[], settings: string): HostileRepository {
  return {
    title: `content to be fetched through ${name}`,
    setup: `
git update-index --add --cacheinfo 100644,$(printf '%s' "${name}" | git hash-object --stdin),ghost
tree=$(git write-tree --missing-ok)
git update-ref HEAD "$(git -c user.name=a -c user.email=a@example.com commit-tree -m ghost -p HEAD "$tree")"
git config core.repositoryFormatVersion 1; git config extensions.partialClone evil
git config remote.evil.promisor true; git config remote.evil.fetch '+refs/heads/*:refs/remotes/evil/*'
git config protocol.ext.allow always; git config protocol.allow always
${settings}`,
    trigger: 'git cat-file -p HEAD:ghost; true',
    live,
  };
}

/** `$REFUSING`: a git HTTP address that requires credentials. */
export const hostileRepositories: readonly HostileRepository[] = [
  everySetting,
  missingContent('ext', ['ext'], `git config remote.evil.url "ext::sh -c touch% $CANARY/ext"`),
  missingContent(
    'a program of ssh',
    ['ssh'],
    `git config remote.evil.url ssh://host.invalid/x; git config core.sshCommand "touch $CANARY/ssh; false"`,
  ),
  missingContent(
    'a program of git://',
    ['gitproxy'],
    `git config remote.evil.url git://host.invalid/x
     printf '#!/bin/sh\\ntouch "%s"\\n' "$CANARY/gitproxy" >.git/proxy; chmod +x .git/proxy; git config core.gitProxy "$PWD/.git/proxy"`,
  ),
  missingContent(
    'another upload-pack',
    ['uploadpack'],
    `git config remote.evil.url "$PWD"; git config remote.evil.uploadpack "touch $CANARY/uploadpack; false"`,
  ),
  missingContent(
    'a foreign protocol',
    ['vcs'],
    `git config remote.evil.url x; git config remote.evil.vcs ext; git config remote.evil.url "sh -c touch% $CANARY/vcs"`,
  ),
  missingContent(
    'credential helpers',
    ['helper', 'url-helper'],
    `git config remote.evil.url "$REFUSING"; git config credential.helper "!touch $CANARY/helper; true"
     git config "credential.$REFUSING.helper" "!touch $CANARY/url-helper; true"
     printf '#!/bin/sh\\ntouch "%s"\\n' "$CANARY/askpass" >.git/askpass; chmod +x .git/askpass; git config core.askPass "$PWD/.git/askpass"`,
  ),
  {
    title: 'a .git file that leads to another folder',
    setup: `
mv .git ../elsewhere && mkdir ../leading && printf '../elsewhere\\n' >../leading/commondir
printf 'gitdir: ../leading\\n' >.git; cp ../elsewhere/HEAD ../elsewhere/index ../leading/
git config core.fsmonitor "touch $CANARY/commondir; true"`,
    trigger: 'git status',
    live: ['commondir'],
  },
];

/** Prepares the repository in the current folder, with \`$CANARY\` and \`$REFUSING\` set. */
export const setupOf = ({ setup }: HostileRepository): string => `${helpers}${setup}`;
