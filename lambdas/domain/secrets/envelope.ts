import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KmsDataKeys } from '../../shared/kms-data-keys.js';
import type { SealedSecret, SecretBox, SecretContext } from './sealed-secret.js';

const cipher = 'aes-256-gcm';

/** Envelope encryption: each secret has its own data key, which KMS binds to owner and record. */
export class Envelope implements SecretBox {
  constructor(private readonly keys: Pick<KmsDataKeys, 'create' | 'open'>) {}

  async seal(text: string, context: SecretContext): Promise<SealedSecret> {
    const { plain, sealed } = await this.keys.create({ ...context });
    const iv = randomBytes(12);
    const sealing = createCipheriv(cipher, plain, iv).setAAD(associated(context));
    const bytes = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
    return {
      version: 1,
      dataKey: Buffer.from(sealed).toString('base64'),
      iv: iv.toString('base64'),
      tag: sealing.getAuthTag().toString('base64'),
      text: bytes.toString('base64'),
    };
  }

  async open(sealed: SealedSecret, context: SecretContext): Promise<string> {
    const plain = await this.keys.open(Buffer.from(sealed.dataKey, 'base64'), { ...context });
    const opening = createDecipheriv(cipher, plain, Buffer.from(sealed.iv, 'base64'))
      .setAAD(associated(context))
      .setAuthTag(Buffer.from(sealed.tag, 'base64'));
    return Buffer.concat([opening.update(Buffer.from(sealed.text, 'base64')), opening.final()]).toString(
      'utf8',
    );
  }
}

// KMS binds the data key to the context; this binds the text to it as well.
const associated = ({ owner, record }: SecretContext) => Buffer.from(JSON.stringify([owner, record]));
