import { expect, it } from 'vitest';
import { loadRoute } from '../../support/invoke.js';

it('is degraded with 503 when the table cannot be reached, and says so within two seconds', async () => {
  // Nothing listens on the discard port.
  process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:9';
  const health = await loadRoute('utility/health');
  const begun = performance.now();

  const reply = await health();

  expect(reply).toMatchObject({ status: 503, body: { status: 'degraded', timestamp: expect.any(String) } });
  expect(performance.now() - begun).toBeLessThan(2_000);
});
