/** What the lease objects take (`make bench-leases`): 50 joins a second for 10 s, then the ceiling beside bare requests. */

import { startServer } from "./harness.mjs";
import { quantile } from "./measure.mjs";
import { ceiling, healths, joinAtRate } from "./joins.mjs";

const [RATE, SECONDS, MANY] = [50, 10, 32];

const server = await startServer({ d1: true });
try {
  const { done } = await joinAtRate(server, RATE, SECONDS);
  const failed = done.filter(({ ok }) => !ok);
  const times = done.filter(({ ok }) => ok).map(({ took }) => took);
  console.log(`${RATE} joins a second for ${SECONDS} s: ${failed.length} failed ${JSON.stringify(failed.slice(0, 3))}`);
  const most = await ceiling(server, MANY, SECONDS, RATE * SECONDS);
  const bare = await healths(server, MANY, SECONDS);
  console.log(JSON.stringify({
    joins_per_second: RATE,
    failed: failed.length,
    join_ms_p50: Math.round(quantile(times, 0.5)),
    join_ms_p99: Math.round(quantile(times, 0.99)),
    ceiling_joins_per_second: Math.round(most.perSecond),
    ceiling_failed: most.failed,
    health_per_second: Math.round(bare),
    ratio: Number((most.perSecond / bare).toFixed(3)),
  }));
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  await server.stop();
}
