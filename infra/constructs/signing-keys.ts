import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.js';

/**
 * Ed25519 keys for our JWTs, one a generation. All listed generations are published; the first one
 * signs. A new generation is listed last in one deployment and first in a later one: whoever
 * verifies a token has the key by then (docs/runbook.md, "Rotate the token signing key").
 */
export class SigningKeys extends Construct {
  private readonly arns: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { generations, retain }: { generations: readonly number[]; retain: boolean },
  ) {
    super(scope, id);
    // A retired generation keeps its key and its export: functions that still import it are only
    // updated after this stack, and CloudFormation refuses to drop an export in use. The runbook
    // says when to delete the key itself.
    const made = Array.from({ length: Math.max(...generations) }, (_, index) =>
      this.addGeneration(index + 1, retain),
    );
    this.arns = generations.flatMap((generation) => made[generation - 1] ?? []);
  }

  private addGeneration(generation: number, retain: boolean): string {
    const { keyArn } = new Key(this, `Generation${generation}`, {
      description: `Berth: signs JWTs, generation ${generation}`,
      keySpec: KeySpec.ECC_NIST_EDWARDS25519,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Stack.of(this).exportValue(keyArn);
    return keyArn;
  }

  /** The first one signs, as `SIGNING_KEY_ARNS` of functions. */
  get publishedArns(): string {
    return this.arns.join(',');
  }

  grantSign(to: ServiceFunction): void {
    this.grantVerify(to);
    const [first] = this.arns;
    if (!first) throw new Error('There is no signing key');
    to.allow(['kms:Sign'], first);
  }

  /** Signatures are checked in the function; it needs the public halves only. */
  grantVerify(to: ServiceFunction): void {
    const [first, ...others] = this.arns;
    if (!first) throw new Error('There is no signing key');
    to.allow(['kms:GetPublicKey'], first, ...others);
    to.setEnvironment({ SIGNING_KEY_ARNS: this.publishedArns });
  }
}
