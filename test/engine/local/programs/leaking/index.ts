import { setTimeout } from 'node:timers/promises';
import * as pulumi from '@pulumi/pulumi';

const config = new pulumi.Config();
const password = config.require('password');
const [half, other] = [password.slice(0, 4), password.slice(4)];

switch (config.get('by')) {
  case 'log':
    pulumi.log.warn(`the password is ${password}`);
    break;
  case 'error':
    throw new Error(`no one signs in with ${password}`);
  case 'stderr':
    console.error(`the password is ${password}`);
    break;
  case 'chunks':
    process.stdout.write(`the password is ${half}`);
    await setTimeout(50);
    process.stdout.write(`${other}\n`);
    break;
  case 'json':
    console.log(process.env['PULUMI_CONFIG']);
    break;
  case 'resource':
    new (class Thing extends pulumi.CustomResource {})(
      'test:index:Thing',
      'refused',
      {},
      { version: '1.2.3' },
    );
    break;
  default:
    console.log(`the password is ${password}`);
}
