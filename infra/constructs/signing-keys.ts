import { RemovalPolicy } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.js';

/**
 * Ed25519 keys for our JWTs, one a generation. The last generation signs, all are published; a generation is
 * retired when the tokens it signed have expired (docs/runbook.md, "Rotate the signing key").
 */
export class SigningKeys extends Construct {
  private readonly arns: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { generations, retain }: { generations: readonly number[]; retain: boolean },
  ) {
    super(scope, id);
    this.arns = generations.map(
      (generation) =>
        new Key(this, `Generation${generation}`, {
          description: `Berth: signs JWTs, generation ${generation}`,
          keySpec: KeySpec.ECC_NIST_EDWARDS25519,
          keyUsage: KeyUsage.SIGN_VERIFY,
          removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
        }).keyArn,
    );
  }

  grantSign(to: ServiceFunction): void {
    this.grantVerify(to);
    const newest = this.arns.at(-1);
    if (!newest) throw new Error('There is no signing key');
    to.allow(['kms:Sign'], newest);
  }

  /** Signatures are checked in the function; it needs the public halves only. */
  grantVerify(to: ServiceFunction): void {
    const [first, ...others] = this.arns;
    if (!first) throw new Error('There is no signing key');
    to.allow(['kms:GetPublicKey'], first, ...others);
    to.setEnvironment({ SIGNING_KEY_ARNS: this.arns.join(',') });
  }
}
