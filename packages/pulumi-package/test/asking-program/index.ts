// Stands in for what an engine does when a program in another language registers a component: it asks the package's plugin
// to make it, below this program's stack and with this program's engine. The plugin and what it registers are real.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { credentials } from '@grpc/grpc-js';
import * as pulumi from '@pulumi/pulumi';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';

const { PULUMI_NODEJS_ENGINE: engine = '', PULUMI_NODEJS_MONITOR: monitor = '' } = process.env;
const folder = fileURLToPath(new URL('../..', import.meta.url));
const runPlugin = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run-plugin/index.js');

const child = spawn(process.execPath, [runPlugin, folder, engine], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = await once(createInterface({ input: child.stdout }), 'line');
const client = new providerGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
const stack = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::pulumi:pulumi:Stack::${pulumi.getProject()}-${pulumi.getStack()}`;
try {
  for (const { type, name, inputs } of JSON.parse(process.env['COMPONENTS'] ?? '[]')) {
    const request = new providerPb.ConstructRequest()
      .setProject(pulumi.getProject())
      .setStack(pulumi.getStack())
      .setOrganization(pulumi.getOrganization())
      .setParallel(4)
      .setDryrun(pulumi.runtime.isDryRun())
      .setMonitorendpoint(monitor)
      .setType(type)
      .setName(name)
      .setParent(stack)
      .setAcceptsOutputValues(true)
      .setInputs(structPb.Struct.fromJavaScript(inputs));
    await new Promise<void>((resolve, reject) => {
      client.construct(request, (error) => (error === null ? resolve() : reject(error)));
    });
  }
} finally {
  client.close();
  child.kill();
}
