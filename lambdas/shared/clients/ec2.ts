import { EC2Client } from '@aws-sdk/client-ec2';

export const ec2 = new EC2Client({});
