import { describe, expect, it } from 'vitest';
import { remoteSource } from './remote-sources.js';

const address = 'http://127.0.0.1:9377/x';

describe('a Dockerfile', () => {
  it.each([
    `ADD ${address} /x`,
    `add ${address} /x`,
    `ADD https://example.com/x /x`,
    `  \u0085ADD ${address} /x`,
    `ONBUILD ADD ${address} /x`,
    `ONBUILD onbuild ADD ${address} /x`,
    `ADD --chown=0:0 ${address} /x`,
    `ADD --checksum=sha256:aa local ${address} /x`,
    `ADD local ${address} /x`,
    `ADD h"tt"p://127.0.0.1/x /x`,
    `ADD h\\ttp://127.0.0.1/x /x`,
    `ADD ["${address}", "/x"]`,
    `ADD --chown=0 [ "a", "${address}","/x" ]`,
    `ADD ["\\u0068ttp://127.0.0.1/x", "/x"]`,
    `ADD ["http:\\/\\/127.0.0.1/x", "/x"]`,
    `AD\\\nD ${address} /x`,
    `AD\\\n# comment\n\nD ${address} /x`,
    `ADD \\\n  # comment\n  ${address} \\\n /x`,
    `ADD \\\r\n${address} /x\r\n`,
    `# escape=\`\nRUN true \\\nADD ${address} /x`,
    `# syntax=x\n# escape=\`\nADD \`\n${address} /x`,
    `RUN <<EOF\ntrue \\\nEOF\nADD ${address} /x`,
    `RUN <<"EOF\\"\nEOF\\\nADD ${address} /x`,
    `ARG A=${address}\nADD $A /x`,
    `ENV A=ttp\nADD h\${A}://127.0.0.1/x /x`,
    `ADD http$A /x`,
    `ADD \${A:-${address}} /x`,
    'ADD git@github.com:octo/x.git /x',
    'ADD git://example.com/x /x',
    'ADD ssh://git@example.com/x /x',
    'ADD github.com/octo/x /x',
    'ADD user@10.0.0.1:x.git /x',
  ])('with %j makes the engine fetch nothing', (text) => {
    expect(remoteSource(`FROM debian\n${text}\n`, [])).toMatch(/^ADD /);
  });

  it.each([
    'ADD app.tar.gz /x',
    'ADD app-$VERSION.tar.gz $HOME/',
    'ADD ["a b", "$HOME/x"]',
    'ADD --chown=$USER:$GROUP rootfs /',
    'COPY $A /x',
    `RUN curl ${address}`,
    `RUN true \\\n  && curl ${address}`,
    `# ADD ${address} /x`,
    `ENV ADD=${address}`,
    `LABEL add ${address}`,
  ])('with %j is built', (text) => {
    expect(remoteSource(`FROM debian\n${text}\n`, [])).toBeNull();
  });

  it('may add files from hosts that the operator allows', () => {
    const allowed = ['files.example.com', 'other.example.com:8443'];
    const check = (source: string) => remoteSource(`FROM a\nADD ${source} /x\n`, allowed);

    expect(check('https://files.example.com/x')).toBeNull();
    expect(check('https://other.example.com:8443/x')).toBeNull();
    expect(check('https://other.example.com/x')).not.toBeNull();
    expect(check('https://files.example.com@127.0.0.1/x')).not.toBeNull();
    expect(check('https://files.example.com$A/x')).not.toBeNull();
    expect(check('https://files.example.com\\@127.0.0.1/x')).not.toBeNull();
  });
});
