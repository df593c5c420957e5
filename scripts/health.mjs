// Prints the answer of a Worker's /health: `node scripts/health.mjs <url>`.

const HEALTH_MS_MAX = 10_000;

const url = new URL("/health", process.argv[2]);
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_MS_MAX) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  process.stdout.write(await response.text());
} catch (error) {
  process.stderr.write(`${url}: ${error.message}\n`);
  process.exitCode = 1;
}
