import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import { type Service, startService } from '../../support/service.js';

interface Health {
  status: string;
  services: { queue: string };
  workers: { status: string; alive: number; lost: number; age_seconds: number | null };
}

describe('a worker that dies or hangs', () => {
  let service: Service;
  before(async () => {
    service = await startService({ apiIsHere: true });
  });
  after(() => service.stop());

  const look = async () => {
    const answer = await fetch(`${service.url}/health`);
    return { code: answer.status, health: (await answer.json()) as Health };
  };
  type Seen = Awaited<ReturnType<typeof look>>;
  const untilShown = (isSo: (seen: Seen) => boolean, secondsMax: number) => {
    let last: Seen;
    return until(
      async () => isSo((last = await look())),
      () => `/health shows it, but: ${JSON.stringify(last)}`,
      secondsMax * 1_000,
    );
  };
  const isHealthy = ({ code, health }: Seen) => code === 200 && health.workers.status === 'ok' && health.workers.alive === 1;
  const isGone = ({ code, health }: Seen) => code === 503 && health.workers.status === 'error' && health.services.queue === 'error';

  it('/health is 503 within 15 s when the only worker is frozen, and 200 when it goes on', async () => {
    await untilShown(isHealthy, 30);
    service.worker.freeze();
    try {
      await untilShown(isGone, 15);
    } finally {
      service.worker.unfreeze();
    }
    await untilShown(isHealthy, 15);
  });
  it('/health is 200 with one lost worker when one of two is killed', async () => {
    const other = service.anotherWorker();
    await other.start();
    await untilShown(({ health }) => health.workers.alive === 2, 15);
    await other.kill();
    await untilShown(({ code, health }) => code === 200 && health.workers.alive === 1 && health.workers.lost === 1, 15);
  });
  it('/health is 503 soon when the last worker is stopped in good order', async () => {
    assert.equal(await service.worker.stop(), 0);
    await untilShown(isGone, 6);
  });
});
