import { setTimeout } from 'node:timers/promises';
import * as pulumi from '@pulumi/pulumi';

const config = new pulumi.Config();
const password = config.require('password');
const [half, other] = [password.slice(0, 4), password.slice(4)];

switch (config.get('by')) {
  case 'error':
    throw new Error(`no one signs in with ${password}`);
  case 'resource':
    new (class Thing extends pulumi.CustomResource {})(
      'test:index:Thing',
      'refused',
      {},
      { version: '1.2.3' },
    );
    break;
  default:
    console.log(`output: ${password}`);
    process.stdout.write(`in two chunks: ${half}`);
    await setTimeout(50);
    process.stdout.write(`${other}\n`);
    console.error(`errors: ${password}`);
    pulumi.log.warn(`log: ${password}`);
    console.log(process.env['PULUMI_CONFIG']);
}
