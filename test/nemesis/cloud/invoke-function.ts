import * as z from 'zod/mini';

const Functions = z.object({
  Functions: z.array(
    z.object({
      FunctionName: z.string(),
      Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
    }),
  ),
});

/** The name of a deployed function in Lambda. */
export async function deployedName(endpoint: string, name: string): Promise<string> {
  const answer = await fetch(`${endpoint}/2015-03-31/functions/?MaxItems=1000`);
  const found = Functions.parse(await answer.json()).Functions.find(
    ({ Environment }) => Environment.Variables.POWERTOOLS_SERVICE_NAME === name,
  );
  if (!found) throw new Error(`There is no function ${name}`);
  return found.FunctionName;
}

/** As a schedule or a stream does. @throws when the function fails */
export async function invokeFunction(endpoint: string, deployed: string, event: object): Promise<void> {
  const answer = await fetch(`${endpoint}/2015-03-31/functions/${deployed}/invocations`, {
    method: 'POST',
    body: JSON.stringify(event),
  });
  const error = answer.headers.get('x-amz-function-error');
  if (!answer.ok || error)
    throw new Error(`${deployed} answered ${answer.status} ${error}: ${await answer.text()}`);
}
