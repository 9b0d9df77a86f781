import { describe, expect, it } from 'vitest';
import { routes } from '../lambdas/routes.js';
import { steps } from '../lambdas/sagas/steps.js';
import { functionFiles } from './function-files.js';
import { synthesise } from './testing.js';
import { actionsOf, functionsOf } from './testing-functions.js';

const deployment = synthesise();
const functions = functionsOf(deployment);
const writing = /^dynamodb:(?:Put|Update|Delete|BatchWrite|Condition|Transact|Parti)/;

describe('every function', () => {
  it('of the tables is deployed, and no other', () => {
    expect([...functions.keys()].sort()).toEqual([...functionFiles].sort());
  });

  it('runs Node 24 on arm64 with a bounded time-out', () => {
    for (const { name, properties } of functions.values()) {
      expect(properties, name).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: 512,
      });
      expect(properties.Timeout, name).toBeLessThanOrEqual(240);
    }
  });

  it('logs what it says itself, and of Lambda only what went wrong', () => {
    const chatty = functionsOf(synthesise({ logLevel: 'DEBUG' }));
    const logging = { LogFormat: 'JSON', SystemLogLevel: 'WARN' };
    for (const { name, properties } of functions.values())
      expect(properties.LoggingConfig, name).toMatchObject({ ...logging, ApplicationLogLevel: 'INFO' });
    for (const { name, properties } of chatty.values())
      expect(properties.LoggingConfig, name).toMatchObject({ ...logging, ApplicationLogLevel: 'DEBUG' });
  });

  it('has a role of its own', () => {
    const roles = [...functions.values()].map(({ properties }) => JSON.stringify(properties.Role));
    expect(new Set(roles).size).toBe(functions.size);
  });

  it('knows the table, the front address and its name', () => {
    for (const { name, environment } of functions.values()) {
      expect(Object.keys(environment), name).toEqual(
        expect.arrayContaining([...['TABLE_NAME', 'PUBLIC_URL', 'LOG_LEVEL', 'POWERTOOLS_SERVICE_NAME']]),
      );
    }
  });

  it('is given the origin secret by a parameter where it checks it, and nowhere else', () => {
    const holders = [...functions.values()].filter(({ environment }) => 'ORIGIN_SECRETS' in environment);

    const checking = functionFiles.filter((file) => file.startsWith('http/') || file === 'socket/authorize');
    expect(holders.map(({ name }) => name).sort()).toEqual([...checking].sort());
    for (const { environment } of holders)
      expect(environment.ORIGIN_SECRETS).toEqual({
        Ref: expect.stringMatching(/^SsmParameterValueberthoriginaccepted/),
      });
  });

  it('has a ceiling of its own where it reads a node and the operator asks for one', () => {
    const ceilings = (context: Record<string, unknown>) =>
      [...functionsOf(synthesise(context)).values()].flatMap(({ name, properties }) =>
        properties.ReservedConcurrentExecutions === 10 ? [name] : [],
      );
    const reading = routes.filter(({ readsNode }) => readsNode).map(({ file }) => `http/${file}`);

    expect(ceilings({})).toEqual([]);
    expect(ceilings({ nodeReadConcurrency: '10' }).sort()).toEqual(reading.sort());
  });

  it('has no action with a wildcard', () => {
    for (const made of functions.values()) expect(actionsOf(made).join(), made.name).not.toContain('*');
  });

  it('has the whole of a service only to describe instances and to list streams', () => {
    for (const { name, statements } of functions.values()) {
      for (const { actions, resources } of statements) {
        if (resources.includes('"*"'))
          expect([['ec2:DescribeInstances'], ['dynamodb:ListStreams']], name).toContainEqual(actions);
      }
    }
  });

  it('reads the table without naming all its indexes by a wildcard', () => {
    for (const { name, statements } of functions.values()) {
      const onTable = statements.filter(({ actions }) =>
        actions.some((action) => action.startsWith('dynamodb:') && action !== 'dynamodb:ListStreams'),
      );
      expect(onTable.flatMap(({ resources }) => resources).join(), name).not.toContain('*');
    }
  });

  it('lists streams where a mapping reads the stream, which Lambda checks when it makes the mapping', () => {
    const listing = [...functions.values()].filter((made) =>
      actionsOf(made).includes('dynamodb:ListStreams'),
    );
    const reading = functionFiles.filter((file) => file.startsWith('streams/'));
    expect(listing.map(({ name }) => name).sort()).toEqual([...reading].sort());
  });

  it('never scans the table', () => {
    const scanning = [...functions.values()].filter((made) => actionsOf(made).includes('dynamodb:Scan'));
    expect(scanning.map(({ name }) => name)).toEqual([]);
  });
});

describe.each(routes)('$method $path', ({ file, grants, readsNode, ...row }) => {
  const made = functions.get(`http/${file}`);
  const actions = actionsOf(made);

  it('carries its own row of the table, its authorisation included', () => {
    expect(JSON.parse(String(made?.environment.ROUTE))).toEqual({
      ...row,
      file,
      ...(readsNode ? { readsNode } : {}),
    });
  });

  it('ends within ten seconds, or within 15 or 25 where it reads from a node', () => {
    const seconds = { answer: 15, bytes: 25 };
    expect(made?.properties.Timeout).toBe(readsNode ? seconds[readsNode] : 10);
  });

  it('may write to the table only if it says so', () => {
    const free = made?.statements.filter(({ conditions }) => conditions === undefined) ?? [];
    const writes = free.flatMap((one) => one.actions).some((action) => writing.test(action));
    expect(writes).toBe(grants.includes('table:write'));
  });

  it('may count against a limit only if it names one', () => {
    const counting = made?.statements.filter(({ conditions }) =>
      JSON.stringify(conditions ?? {}).includes('RATE#'),
    );
    const expected = row.limit ? [{ actions: ['dynamodb:UpdateItem'] }] : [];
    expect(counting).toMatchObject(expected);
  });

  it('may sign tokens only if it says so', () => {
    expect(actions.includes('kms:Sign')).toBe(grants.includes('tokens:sign'));
  });

  it('may open secrets only if it says so', () => {
    expect(actions.includes('kms:Decrypt')).toBe(grants.includes('secrets:open'));
    expect(actions.includes('secretsmanager:GetSecretValue')).toBe(
      grants.includes('codehost:app') || grants.includes('codehost:webhook') || grants.includes('push:key'),
    );
  });

  it('starts and answers only the sagas it names', () => {
    const named = grants.filter((grant) => grant.startsWith('saga:'));
    expect(made?.statements.filter((one) => one.actions.includes('states:StartExecution')).length ?? 0).toBe(
      Math.min(1, named.length),
    );
    expect(actions.includes('states:SendTaskSuccess')).toBe(grants.includes('sagas:answer'));
    for (const grant of named) {
      expect(made?.environment).toHaveProperty(`${grant.slice(5).replaceAll('-', '_').toUpperCase()}_ARN`);
    }
  });

  it('never touches EC2 or DNS', () => {
    expect(actions.filter((action) => /^(?:ec2|route53|iam):/.test(action))).toEqual([]);
  });
});

describe('launching', () => {
  const launching = functions.get('sagas/provision-workspace/launch-node');

  it('is done from our template and with our tag only', () => {
    const runs = launching?.statements.filter(({ actions }) => actions.includes('ec2:RunInstances')) ?? [];
    const onInstances = runs.filter(({ resources }) => resources.join().includes(':instance/*'));
    expect(onInstances).toHaveLength(1);
    expect(JSON.stringify(onInstances)).toContain('aws:RequestTag/berth:stack');
    for (const { resources, conditions } of runs) {
      if (resources.join().includes('/*')) expect(JSON.stringify(conditions)).toContain('ec2:LaunchTemplate');
    }
  });

  it('passes the node role to EC2 and nothing else to nobody else', () => {
    const passing = launching?.statements.filter(({ actions }) => actions.includes('iam:PassRole'));
    expect(passing).toHaveLength(1);
    expect(passing?.[0]?.conditions).toEqual({
      StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' },
    });
  });

  it('has nodes call the API itself, unless the deployment has an address that is given', () => {
    const given = 'http://localhost:8787';
    const laptop = functionsOf(synthesise({ publicUrl: given })).get('sagas/provision-workspace/launch-node');

    expect(JSON.stringify(launching?.environment.CALLBACK_URL)).toContain('.execute-api.');
    expect(laptop?.environment.CALLBACK_URL).toBe(given);
  });

  it('belongs to the steps that declare it', () => {
    const running = [...functions.values()].filter((made) => actionsOf(made).includes('ec2:RunInstances'));
    const declared = steps.filter(({ grants }) => grants.includes('ec2:run'));
    // The sweep launches the machines that wait.
    expect(running.map(({ name }) => name).toSorted()).toEqual([
      ...declared.map(({ saga, name }) => `sagas/${saga}/${name}`),
      'sweeps/reconcile',
    ]);
  });

  const changing = /^ec2:(?:Start|Stop|Terminate|Modify)/;
  it('starts, stops and ends only instances of this deployment', () => {
    for (const { name, statements } of functions.values()) {
      for (const { actions, conditions } of statements) {
        if (!actions.some((action) => changing.test(action))) continue;
        expect(conditions, name).toEqual({ StringEquals: { 'aws:ResourceTag/berth:stack': 'berth' } });
      }
    }
  });
});

describe('a grant that no code uses', () => {
  it('stops instances in the sweep only: nodes are never stopped but terminated', () => {
    const holders = [...functions.values()].filter((made) => actionsOf(made).includes('ec2:StopInstances'));
    expect(holders.map(({ name }) => name)).toEqual(['sweeps/reconcile']);
  });

  it('is not given: secrets are sealed by data keys', () => {
    const unused = ['kms:Encrypt'];
    const holders = [...functions.values()].filter((made) =>
      actionsOf(made).some((action) => unused.includes(action)),
    );
    expect(holders.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    'sagas/provision-workspace/remove-from-node',
    'sagas/stop-workspace/stop-on-node',
    'sagas/remove-node/terminate-instance',
  ])('is not given to %s, which writes no record', (name) => {
    expect(actionsOf(functions.get(name)).filter((action) => writing.test(action))).toEqual([]);
  });
});

describe('a key rotation', () => {
  it.each([
    [[1, 2], 'Generation1'],
    [[2, 1], 'Generation2'],
  ])('publishes both generations of %j and signs with %s', (signingKeyGenerations, signer) => {
    const rotated = functionsOf(synthesise({ signingKeyGenerations }));
    const bootstrap = rotated.get('http/callbacks/bootstrap');
    const signing = bootstrap?.statements.find(({ actions }) => actions.includes('kms:Sign'));
    const published = bootstrap?.statements.find(({ actions }) => actions.includes('kms:GetPublicKey'));
    expect(published?.resources).toHaveLength(2);
    expect(signing?.resources).toHaveLength(1);
    expect(signing?.resources[0]).toContain(signer);
  });

  it('ends with the old generation unpublished, its key still exported for functions not yet updated', () => {
    const retired = synthesise({ signingKeyGenerations: [2] });
    const signer = functionsOf(retired).get('http/callbacks/bootstrap');
    const published = signer?.statements.filter(({ actions }) =>
      actions.some((one) => one.startsWith('kms:')),
    );
    expect(JSON.stringify(published)).not.toContain('Generation1');
    expect(JSON.stringify(retired.template('berth-data').toJSON().Outputs)).toContain(
      'SigningKeysGeneration1',
    );
  });
});
