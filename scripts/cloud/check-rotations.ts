// Before a deployment: refuses a key or secret that the last deployment did not publish.
import { deploymentContext } from '../deployment-context.js';
import { deployedOutputs } from '../release/stack-outputs.js';
import { rotationProblem } from './rotations.js';

const settings = deploymentContext(process.argv.slice(2));
const outputs = await deployedOutputs(`${settings.deploymentId}-data`);
const problem = rotationProblem(settings, (name) => outputs.get(name));
if (problem) {
  console.error(`\n${problem}`);
  process.exit(1);
}
