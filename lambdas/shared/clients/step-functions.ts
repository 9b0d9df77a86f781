import { SFNClient } from '@aws-sdk/client-sfn';

export const stepFunctions = new SFNClient({});
