import { SSMClient } from '@aws-sdk/client-ssm';

export const ssm = new SSMClient({});
