// The Pulumi program. What it builds is declared in Pulumi.<stack>.yaml; resources of your own can follow below.
import { buildEnvironment } from 'gatehouse-login';

const environment = await buildEnvironment(import.meta.dirname);
export const { address, methods, groups, policies, messages } = environment;
