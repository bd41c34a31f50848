// JavaScript, as Pulumi loads it with `require`, and through its own compiler if it is TypeScript.
import './index.ts';
