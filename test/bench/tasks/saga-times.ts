import {
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListStateMachinesCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import type { EmulatorAccess } from '../../../local/access/keys.js';
import { sdkConfig } from '../../../local/aws.js';

/** Reads when an execution of a saga entered and left its states. */
export class SagaTimes implements Disposable {
  private readonly client: SFNClient;

  constructor(access: EmulatorAccess) {
    this.client = new SFNClient(sdkConfig(access));
  }

  /** When an execution left a state for the last time. */
  async exits(saga: RegExp, name: string): Promise<(state: string) => number> {
    const executionArn = await this.arnOf(saga, name);
    const { events = [] } = await this.client.send(
      new GetExecutionHistoryCommand({ executionArn, maxResults: 1_000 }),
    );
    return (state) => {
      const at = events.findLast((event) => exitOf(event) === state)?.timestamp?.getTime();
      if (at === undefined) throw new Error(`${name} never left ${state}`);
      return at;
    };
  }

  [Symbol.dispose](): void {
    this.client.destroy();
  }

  private async arnOf(saga: RegExp, name: string): Promise<string> {
    const { stateMachines = [] } = await this.client.send(new ListStateMachinesCommand({}));
    const found = stateMachines.find((machine) => saga.test(machine.name ?? ''))?.stateMachineArn;
    if (!found) throw new Error(`There is no saga ${saga}`);
    return `${found.replace(':stateMachine:', ':execution:')}:${name}`;
  }
}

const exitOf = ({ stateExitedEventDetails }: HistoryEvent) => stateExitedEventDetails?.name;
