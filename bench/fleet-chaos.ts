/**
 * `npm run bench -- fleet-chaos [JOBS] [WORKERS] [KILLS]`: four workers of two machines on one Redis, 2,000 jobs,
 * 60 workers killed at random, Redis killed twice. Ends with a verdict, and with 1 when anything is broken.
 */
import { resolve } from 'node:path';
import { runChaos } from './fleet-support.js';
import { writeRun } from './support/run-record.js';

const typed = process.argv.slice(2);
const [jobs = '2000', workers = '4', killed = '60'] = typed;
const report = await runChaos({
  jobs: Number(jobs),
  workers: Number(workers),
  machines: 2,
  program: resolve('dist', 'cli.js'),
  redisRestarts: 2,
  kills: Number(killed),
  say: (line) => console.log(line),
});
const { ends, kills, redisRestarts, seconds, cpuSecondsPerJob, bytesPerJob, bytesPerEndedJob, faults } = report;
console.log(
  `ends: ${Object.entries(ends)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}`,
);
console.log(
  `${kills} workers killed, Redis killed ${redisRestarts} times, ${seconds.toFixed(1)} s, ${(Number(jobs) / seconds).toFixed(1)} jobs/s, ${cpuSecondsPerJob?.toFixed(2) ?? '?'} s of processors a job, ${bytesPerJob} bytes of Redis a job that waits and ${bytesPerEndedJob} one that ended`,
);
for (const fault of faults.slice(0, 50)) console.log(`FAULT ${fault}`);
console.log(
  faults.length === 0
    ? 'held: every job ended exactly once, none was sent twice, none was lost, and Redis holds no item text, secret, credential or key'
    : `broken: ${faults.length} faults`,
);
console.log(writeRun(resolve('.'), 'fleet-chaos', typed, { jobs: Number(jobs), workers: Number(workers), ...report }));
process.exit(faults.length === 0 ? 0 : 1);
