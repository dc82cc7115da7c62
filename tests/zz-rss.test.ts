import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { callerOf, LiveSocket, EventStream, startDaemon } from '@stoa/testkit';
import { it } from 'vitest';
it('rss', async () => {
  const daemon = await startDaemon({ env: { STOA_DURABILITY: 'relaxed', ...(process.env.NO ? {NODE_OPTIONS: process.env.NO}: {}) } });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const owner = callerOf(daemon.url, daemon.token, agent);
  await owner.post('/v1/channels', { channelId: 'flood', title: 'Flood' });
  const TEXT='x'.repeat(Number(process.env.SIZE??16000));
  const rss = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`,'utf8'))![1])/1024;
  const anon = () => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`,'utf8'))![1])/1024;
  const heap = async () => { const t=(await owner.get('/metrics')).text; return ['nodejs_heap_size_total_bytes','nodejs_heap_size_used_bytes','nodejs_external_memory_bytes'].map(n=>(Number(new RegExp('^'+n+' (\\S+)','m').exec(t)?.[1])/1e6).toFixed(0)).join('/');};
  const flood = async (n:number) => { let left=n; await Promise.all(Array.from({length:16}, async()=>{ while(left-->0) await owner.post('/v1/channels/flood/messages',{text:TEXT}); })); };
  let reader: any; 
  if (process.env.READER) { reader = await LiveSocket.open(daemon.url, daemon); await reader.subscribe('channel:flood'); }
  console.log('start', rss(), anon());
  for (let r=0;r<8;r++) {
    let peak=0, peakA=0; const t=setInterval(()=>{peak=Math.max(peak,rss());peakA=Math.max(peakA,anon())},20);
    const s=performance.now(); await flood(Number(process.env.N??1000)); clearInterval(t);
    console.log(r, 'peak', peak.toFixed(0), 'anon', peakA.toFixed(0), 'now', rss().toFixed(0), 'heap', await heap(), 'ms', (performance.now()-s).toFixed(0));
    if (reader) reader.frames.length=0;
  }
  await daemon.cleanUp();
}, 200000);
