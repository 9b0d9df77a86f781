import type {
  InteractionReport,
  InteractionReports,
  Opening,
} from '../../agent/src/interactions/interaction-reports.js';

/** A control plane that takes each interaction, and what it gets about them. */
export class RecordedReports implements Pick<InteractionReports, 'open'> {
  readonly opened: Opening[] = [];
  readonly calls: string[] = [];

  open(opening: Opening): InteractionReport {
    this.opened.push(opening);
    return {
      end: (reason) => this.calls.push(`end ${reason}`),
      completeUrl: (elicitationId) => this.calls.push(`completeUrl ${elicitationId}`),
    };
  }
}
