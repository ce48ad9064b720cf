import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Asks until it is so. @returns after how many seconds */
  const until = async (isSo: (seen: Awaited<ReturnType<typeof look>>) => boolean, secondsMax: number) => {
    const begun = performance.now();
    for (;;) {
      const seen = await look();
      const seconds = (performance.now() - begun) / 1000;
      if (isSo(seen)) return seconds;
      if (seconds > secondsMax) assert.fail(`not after ${seconds} s: ${JSON.stringify(seen)}`);
      await sleep(250);
    }
  };
  const isHealthy = ({ code, health }: Awaited<ReturnType<typeof look>>) =>
    code === 200 && health.workers.status === 'ok' && health.workers.alive === 1;
  const isGone = ({ code, health }: Awaited<ReturnType<typeof look>>) =>
    code === 503 && health.workers.status === 'error' && health.services.queue === 'error';

  it('/health is 503 within 15 s when the only worker is frozen, and 200 when it goes on', async () => {
    await until(isHealthy, 30);
    service.worker.freeze();
    try {
      await until(isGone, 15);
    } finally {
      service.worker.unfreeze();
    }
    await until(isHealthy, 15);
  });
  it('/health is 200 with one lost worker when one of two is killed', async () => {
    const other = service.anotherWorker();
    await other.start();
    await until(({ health }) => health.workers.alive === 2, 15);
    await other.kill();
    await until(({ code, health }) => code === 200 && health.workers.alive === 1 && health.workers.lost === 1, 15);
  });
  it('/health is 503 soon when the last worker is stopped in good order', async () => {
    assert.equal(await service.worker.stop(), 0);
    await until(isGone, 6);
  });
});
