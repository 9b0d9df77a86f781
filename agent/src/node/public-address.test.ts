import { expect, it } from 'vitest';
import { MetadataService } from '../../../test/support/acme/metadata-service.js';
import { publicAddress } from './public-address.js';

const signal = new AbortController().signal;

it('reads the public address with a token of the metadata service', async () => {
  await using service = await MetadataService.start('192.0.2.7');

  await expect(publicAddress(service.url, signal)).resolves.toBe('192.0.2.7');
});

it.each(['', 'not-an-address', '2001:db8::1'])(
  'refuses a machine whose public address is "%s"',
  async (address) => {
    await using service = await MetadataService.start(address);

    await expect(publicAddress(service.url, signal)).rejects.toThrow('no public IPv4 address');
  },
);
