import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetadataService } from '../../support/acme/metadata-service.js';
import { Pebble, whyNoPebble } from '../../support/acme/pebble.js';
import { certutil, homeThatTrusts } from '../../support/acme/trusted-home.js';
import { Browser, browserPath } from '../../support/browser.js';
import { until } from '../../support/until.js';
import { PreviewNode, previewNetworks } from './preview-node.js';

const missing =
  (await whyNoPebble()) ??
  (browserPath ? null : 'Issued certificates are not tested in a browser: there is no Chromium') ??
  (certutil ? null : 'Issued certificates are not tested in a browser: there is no certutil (libnss3-tools)');
if (missing) process.stderr.write(`${missing}\n`);

/** Any page of the control plane: its origin may call the node. */
const anyPage = '/.well-known/jwks.json';

/** Opens a terminal as the console does. */
const openTerminal = ([url, token]: readonly string[]) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = new WebSocket(`${url}/terminal/ws/multi`, ['berth', `berth.token.${token}`]);
  const created = { type: 'create_session', sessionId: 'one', data: { rows: 24, cols: 80, name: 'One' } };
  socket.onopen = () => socket.send(JSON.stringify(created));
  socket.onmessage = ({ data }) => resolve(String(data));
  socket.onerror = () => reject(new Error('The socket does not open'));
  return promise;
};
const upload = async ([url, token]: readonly string[]) => {
  const body = new FormData();
  body.set('destination', '.');
  body.append('files', new File(['sent by a browser'], 'sent.txt'), 'sent.txt');
  return (await fetch(String(url), { method: 'POST', body, headers: { authorization: `Bearer ${token}` } }))
    .status;
};

describe.skipIf(missing)('a browser at a node with a certificate of an authority that it trusts', () => {
  const stack = new AsyncDisposableStack();
  let node: PreviewNode;
  let workspaceId: string;
  let url: string;
  let port: number;
  let browser: Browser;

  beforeAll(async () => {
    const pebble = stack.use(await Pebble.start());
    const metadata = stack.use(await MetadataService.start('127.0.0.1'));
    const [standalone] = previewNetworks;
    if (!standalone) throw new Error('No network');
    node = stack.use(
      await PreviewNode.start(standalone, {
        ACME_DIRECTORY: pebble.directoryUrl,
        ACME_TRUST_ANCHORS: Buffer.from(pebble.anchorsPem).toString('base64'),
        ACME_CHALLENGE_PORT: String(pebble.challengePort),
        AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url,
      }),
    );
    url = `https://127.0.0.1:${node.agent.port}`;
    await until(
      'the certificate is in use',
      () => node.agent.output.includes('Certificate in use') || undefined,
    );
    workspaceId = await node.workspace();
    port = await node.serve(workspaceId);
    const home = homeThatTrusts(certutil ?? '', await pebble.rootPem());
    browser = stack.use(await Browser.start(browserPath ?? '', [], { HOME: home }));
    await browser.page.goto(`${node.fake.url}${anyPage}`);
  });
  afterAll(() => stack.disposeAsync());

  it('opens a terminal', async () => {
    const token = await node.fake.terminal(workspaceId);

    expect(await browser.page.evaluate(openTerminal, [url, token])).toMatch(/"type":"session_created"/);
  });

  it('uploads a file', async () => {
    const address = `${url}/workspaces/${workspaceId}/files/upload`;

    const token = await node.fake.management(workspaceId);

    expect(await browser.page.evaluate(upload, [address, token])).toBe(200);
  });

  it('shows a preview', async () => {
    const token = await node.fake.preview(workspaceId, port);
    const page = await browser.context.newPage();

    const answer = await page.goto(`${url}/workspaces/${workspaceId}/ports/${port}/echo?token=${token}`);

    expect(answer?.status()).toBe(200);
    expect(await page.textContent('body')).toContain('/echo');
  });

  it('opens nothing where it does not trust the authority', async () => {
    await using other = await Browser.start(browserPath ?? '');
    await other.page.goto(`${node.fake.url}${anyPage}`);

    const token = await node.fake.terminal(workspaceId);

    await expect(other.page.evaluate(openTerminal, [url, token])).rejects.toThrow('does not open');
  });
});
