/** Pictures of the boards, as files for the documents. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { root } from '../../deploy/project.js';
import { smallPng } from '../small-png.js';
import type { DrawnBoard } from './drawn.js';

const size = { width: 1600, height: 900 };

/** Takes all pictures anew. @returns for each file its path, and what shows badly in it */
export async function takePictures(page: Page, boards: ReadonlyMap<string, DrawnBoard>, folder: string): Promise<string[]> {
  const { script, style } = await bundlePage();
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize(size);
  const written: string[] = [];
  for (const [name, board] of boards) {
    await page.setContent('<!doctype html><html lang="en"><body></body></html>');
    await page.addStyleTag({ content: style });
    await page.addScriptTag({ content: script });
    const faults = await page.evaluate((each) => (globalThis as unknown as PageWorld).drawBoard(each), board);
    const path = join(folder, `${name}.png`);
    writeFileSync(path, smallPng(await page.screenshot({ fullPage: true, animations: 'disabled' })));
    written.push(path, ...faults.map((fault) => `  ${fault}`));
  }
  return written;
}

/** What `page/draw.ts` defines. */
interface PageWorld {
  drawBoard(board: DrawnBoard): string[];
}

async function bundlePage(): Promise<{ script: string; style: string }> {
  const source = join(root, 'test/screenshots/boards/page');
  const { outputFiles } = await build({
    entryPoints: [join(source, 'draw.ts'), join(source, 'board.css')],
    bundle: true,
    format: 'iife',
    outdir: source,
    write: false,
  });
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}
