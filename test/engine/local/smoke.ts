import { generateKeyPairSync } from 'node:crypto';
import { LocalEngine } from '/work/main/engine/local/local-engine.ts';
import { rmSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
const keyFile='/tmp/eng/key.pem'; if (!existsSync(keyFile)) writeFileSync(keyFile, generateKeyPairSync('rsa',{modulusLength:2048}).publicKey.export({type:'spki',format:'pem'}));
const key = readFileSync(keyFile,'utf8');
const env = { PATH: process.env.PATH, VAULT_ADDR: 'http://127.0.0.1:18277', VAULT_TOKEN: 'root', HOME:'/tmp/eng/home', ...process.env.EXTRA ? JSON.parse(process.env.EXTRA):{} };
const engine = new LocalEngine({ env });
const n = process.argv[2]; const plan = process.argv.slice(3);
for (const step of plan) {
  const [verb, ...kv] = step.split(',');
  const config = { n, key, ...Object.fromEntries(kv.map(x=>x.split('='))) };
  const stack = { directory: '/tmp/eng/prog', project: 'scale', main: '.', name: 'dev', home: '/tmp/eng/state', config: new Map(Object.entries(config).map(([k,v])=>['scale:'+k,{value:v,secret:false}])) };
  const t = performance.now(), cpu = process.cpuUsage();
  const r = await engine.run({ verb, stack, dryRun: false, refresh: kv.includes('refresh=1'), targets: [] });
  const c = process.cpuUsage(cpu);
  console.log(step, (performance.now()-t).toFixed(0)+'ms', 'engine cpu', ((c.user+c.system)/1000).toFixed(0), r.succeeded, JSON.stringify(r.changes), r.diagnostics.slice(0,4).map(d=>d.severity+' '+(d.urn??'')+' '+d.message));
}
