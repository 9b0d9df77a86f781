import { Aws } from 'aws-cdk-lib';

/** Under which API Gateway itself answers for an API. */
export const apiHost = (apiId: string): string => `${apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
