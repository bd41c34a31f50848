import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import { serveDeployment } from '../../src/local/deployment-services.ts';
import { fromStruct, toStruct } from '../../src/wire-value.ts';
import { stackOf } from '../stack-of.ts';
import { Bed, goal, urn } from './registrations.ts';

test('the SDK follows a resource reference by pulumi:pulumi:getResource', async () => {
  await new Bed().deploy({}, async (deployment) => {
    await deployment.register(goal('one', { text: 'a' }));
    const options = { stack: stackOf(), dryRun: false, parallel: 1, env: {}, verbose: false };
    const services = await serveDeployment(deployment, options);
    const client = new resourceGrpc.ResourceMonitorClient(services.address, credentials.createInsecure());
    try {
      const request = new resourcePb.ResourceInvokeRequest()
        .setTok('pulumi:pulumi:getResource')
        .setArgs(toStruct({ urn: urn('one') }));
      const invoke = promisify<typeof request, InstanceType<typeof resourcePb.ResourceInvokeResponse>>(
        client.invoke.bind(client),
      );
      expect(fromStruct((await invoke(request)).getReturn())).toMatchObject({
        urn: urn('one'),
        state: { text: 'a' },
      });
    } finally {
      client.close();
      services.close();
    }
    return [];
  });
});
