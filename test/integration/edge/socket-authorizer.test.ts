import { beforeAll, expect, it } from 'vitest';
import { originSecretHeader } from '../../../lambdas/route-row.js';
import { fromCloudFront, lambdaContext } from '../../support/invoke.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { sharedTable } from '../../support/table.js';

const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:api/live/$connect';
let authorize: ReturnType<typeof import('../../../lambdas/edge/socket-authorizer.js').socketAuthorizer>;
let octo: SignedIn;

beforeAll(async () => {
  const { socketAuthorizer } = await import('../../../lambdas/edge/socket-authorizer.js');
  authorize = socketAuthorizer();
  octo = await signIn(sharedTable());
});

const origin = () => new URL(process.env.PUBLIC_URL ?? '').origin;

async function effectOf(headers: Record<string, string> | undefined): Promise<unknown> {
  // API Gateway leaves headers out when there are none.
  const event = { headers: headers ? { ...fromCloudFront(), ...headers } : null, methodArn };
  const { policyDocument, context } = await authorize(event, lambdaContext);
  return { effect: policyDocument.Statement[0]?.Effect, context };
}

it('lets a person in, from a page of ours and from no page, and says who it is', async () => {
  const allowed = {
    effect: 'Allow',
    context: { userId: octo.userId, sessionHash: octo.sessionHash },
  };

  expect(await effectOf({ cookie: octo.cookie })).toEqual(allowed);
  expect(await effectOf({ Cookie: `a=b; ${octo.cookie}`, Origin: origin() })).toEqual(allowed);
});

it('refuses a person who comes past CloudFront', async () => {
  const { [originSecretHeader]: secret = '' } = fromCloudFront();
  const refused = { effect: 'Deny', context: undefined };

  for (const value of ['', secret.slice(1), `${secret}0`])
    expect(await effectOf({ cookie: octo.cookie, [originSecretHeader]: value })).toEqual(refused);
});

it('refuses everybody else, and reveals nothing of anybody', async () => {
  const ended = await signIn(sharedTable(), { expiresAt: 1 });
  const refused = { effect: 'Deny', context: undefined };
  const attempts: (Record<string, string> | undefined)[] = [
    undefined,
    {},
    { cookie: '__Host-berth_session=' },
    { cookie: `__Host-berth_session=${octo.sessionHash}` },
    { cookie: `other=${octo.cookie.split('=')[1]}` },
    { cookie: ended.cookie },
    { cookie: octo.cookie, origin: 'https://evil.example' },
    { cookie: octo.cookie, Origin: 'null' },
    { cookie: octo.cookie, origin: `${origin()}.evil.example` },
    { authorization: `Bearer ${octo.cookie.split('=')[1]}` },
  ];

  for (const headers of attempts) {
    expect(await effectOf(headers), JSON.stringify(headers)).toEqual(refused);
  }
});
