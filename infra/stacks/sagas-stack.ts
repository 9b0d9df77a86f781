import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type SagaName, sagaNames } from '../../lambdas/saga-names.js';
import { type Step, steps } from '../../lambdas/sagas/steps.js';
import { type AlarmSettings, alarm } from '../constructs/alarm.js';
import { kindLogGroup } from '../constructs/log-group.js';
import { Saga } from '../constructs/saga.js';
import { ServiceFunction } from '../constructs/service-function.js';
import type { FunctionCode } from '../function-code.js';
import { type Granted, give } from '../grants.js';
import { nodeBootSeconds, stepTimeout, workspaceBeatSeconds } from '../limits.js';
import { stateName } from '../saga-definition.js';
import type { SagaDefinitions } from '../saga-definitions.js';
import type { Settings } from '../settings.js';

interface SagasStackProps extends StackProps {
  readonly settings: Settings;
  readonly granted: Omit<Granted, 'sagas'>;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly definitions: SagaDefinitions;
}

/** The state machines and their steps. */
export class SagasStack extends Stack {
  readonly sagas: ReadonlyMap<SagaName, Saga>;
  private readonly made = new Map<SagaName, Saga>();
  private readonly props: SagasStackProps;

  constructor(scope: Construct, id: string, props: SagasStackProps) {
    super(scope, id, props);
    this.props = props;
    const logGroup = kindLogGroup(this, 'StepLog');
    for (const name of sagaNames) this.addSaga(name, logGroup);
    this.sagas = this.made;
    this.addAlarm({ ...props.settings });
  }

  private addSaga(name: SagaName, logGroup: ReturnType<typeof kindLogGroup>): void {
    const { settings, definitions } = this.props;
    const own = steps.filter(({ saga }) => saga === name);
    const made = own.flatMap((step) => {
      const made = this.addStep(step, logGroup);
      return made ? [[stateName(step.name), made] as const] : [];
    });
    const definition = definitions(name);
    // Incomplete only when the deployment may go without what is not built yet.
    if (definition === undefined || made.length < own.length) return;
    this.made.set(
      name,
      new Saga(this, stateName(name), {
        name,
        deploymentId: settings.deploymentId,
        definition,
        steps: new Map(made),
        parts: this.made,
        numbers: {
          NodeReadyTimeoutSeconds: settings.nodeReadyTimeoutSeconds,
          NodeBootTimeoutSeconds: nodeBootSeconds(settings.nodeReadyTimeoutSeconds),
          WorkspaceReadyTimeoutSeconds: settings.workspaceReadyTimeoutSeconds,
          WorkspaceBeatTimeoutSeconds: workspaceBeatSeconds(settings.workspaceReadyTimeoutSeconds),
        },
      }),
    );
  }

  private addStep({ saga, name, grants }: Step, logGroup: ReturnType<typeof kindLogGroup>) {
    const file = `sagas/${saga}/${name}`;
    const code = this.props.code(file);
    if (!code) return undefined;
    const step = new ServiceFunction(this, `${stateName(saga)}${stateName(name)}`, {
      name: file,
      code,
      timeout: stepTimeout,
      logGroup,
      environment: this.props.environment,
    });
    give({ ...this.props.granted, sagas: this.made }, step, grants);
    return step;
  }

  private addAlarm(settings: AlarmSettings): void {
    const provision = this.made.get('provision-workspace');
    const remove = this.made.get('remove-node');
    if (provision) {
      alarm(this, settings, {
        id: 'Provisioning',
        summary: 'Five workspaces failed to provision within 5 minutes',
        runbook: 'provisioning-fails',
        metric: provision.failures(),
        threshold: 5,
      });
    }
    if (remove) {
      alarm(this, settings, {
        id: 'Removal',
        summary: 'A node could not be removed: its instance may still incur cost',
        runbook: 'a-node-stays',
        metric: remove.failures(),
        threshold: 1,
      });
    }
    const endSession = this.made.get('end-session');
    if (endSession) {
      alarm(this, settings, {
        id: 'EndSession',
        summary: 'A node did not receive the end of a sign-in session: its sockets may still be open',
        runbook: 'a-session-stays',
        metric: endSession.failures(),
        threshold: 1,
      });
    }
    const endMembership = this.made.get('end-membership');
    if (!endMembership) return;
    alarm(this, settings, {
      id: 'EndMembership',
      summary: 'Workspaces of a removed project member could not be stopped',
      runbook: 'a-member-stays',
      metric: endMembership.failures(),
      threshold: 1,
    });
  }
}
