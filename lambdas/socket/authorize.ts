// Authorizer of $connect: a signed-in person, from a page of ours
import { socketAuthorizer } from '../edge/socket-authorizer.js';

export const handler = socketAuthorizer();
