import { RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.js';

/** Letters and digits go into a header and a comma-separated list as they are. */
export const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

interface OriginSecretProps {
  readonly deploymentId: string;
  /** The first is sent by CloudFront; functions accept all of them. */
  readonly generations: readonly number[];
}

/**
 * The secret by which functions know that a request came through CloudFront, one value a
 * generation. CloudFormation puts the values into the distribution and the functions, so that no
 * function reads a secret at run time. The functions have them by a parameter of their stack: a
 * template may have 60 dynamic references, and a stack has more functions than that.
 */
export class OriginSecret extends Construct {
  /** Name in Secrets Manager of the value that CloudFront sends. */
  readonly sentName: string;
  readonly sent: string;
  private readonly acceptedName: string;

  constructor(scope: Construct, id: string, { deploymentId, generations }: OriginSecretProps) {
    super(scope, id);
    const nameOf = (generation: number) => `${deploymentId}/origin/${generation}`;
    const secrets = generations.map((generation) => this.addGeneration(generation, nameOf(generation)));
    // By name and not by ARN: an export in use could never be retired.
    const references = generations.map((generation) =>
      SecretValue.secretsManager(nameOf(generation)).unsafeUnwrap(),
    );
    const [first] = generations;
    this.sentName = nameOf(first ?? 1);
    this.sent = references[0] ?? '';
    this.acceptedName = `/${deploymentId}/origin/accepted`;
    const parameter = new StringParameter(this, 'Accepted', {
      parameterName: this.acceptedName,
      description: 'Berth: origin secrets that functions accept, read by the deployment of each stack',
      stringValue: references.join(','),
    });
    // It has their names only, which are no reference.
    parameter.node.addDependency(...secrets);
  }

  /** Lets the function distinguish requests through CloudFront from direct ones. */
  grantVerify(to: ServiceFunction): void {
    to.setEnvironment({ ORIGIN_SECRETS: StringParameter.valueForStringParameter(to, this.acceptedName) });
  }

  private addGeneration(generation: number, secretName: string): Secret {
    const secret = new Secret(this, `Generation${generation}`, {
      secretName,
      description: `Berth: origin secret that CloudFront sends to the APIs, generation ${generation}`,
      generateSecretString: { passwordLength: 48, excludeCharacters: punctuation },
      // It protects no data: another deployment makes another.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Distribution and functions take it at deployment: it is rotated by three deployments, runbook.',
    });
    return secret;
  }
}
