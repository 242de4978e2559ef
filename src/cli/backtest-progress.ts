/** Shows the progress of a backtest on standard error: a bar on a terminal, a line now and then elsewhere. */
import { Presets, SingleBar } from 'cli-progress'
import type { BacktestProgress } from '../client/client.js'

export interface ProgressDisplay {
  show(progress: BacktestProgress): void
  stop(): void
}

/** Without a terminal: a line for each tenth of the blocks. */
const linesInAll = 10

export function createProgressDisplay(): ProgressDisplay {
  return process.stderr.isTTY ? bar() : plainLines()
}

function bar(): ProgressDisplay {
  const display = new SingleBar(
    {
      format: '{state} {bar} {percentage}% | {value} of {total} blocks | {left}',
      hideCursor: true,
      // The bar also has to move while the job waits.
      fps: 4,
      stream: process.stderr,
      // Ctrl-C is for the command to handle.
      gracefulExit: false,
    },
    Presets.shades_classic,
  )
  let isShown = false
  return {
    show({ state, blocksTotal, blocksDone, etaSeconds }) {
      const facts = { state, left: leftOf(etaSeconds) }
      if (isShown) display.update(blocksDone, facts)
      else display.start(blocksTotal, blocksDone, facts)
      isShown = true
    },
    stop: () => display.stop(),
  }
}

function plainLines(): ProgressDisplay {
  let shown = ''
  return {
    show({ state, blocksTotal, blocksDone, etaSeconds }) {
      const tenth = Math.floor((blocksDone * linesInAll) / blocksTotal)
      if (`${state} ${tenth}` === shown) return
      shown = `${state} ${tenth}`
      process.stderr.write(
        `${state}: ${blocksDone} of ${blocksTotal} blocks, ${leftOf(etaSeconds)}\n`,
      )
    },
    stop() {},
  }
}

/** Two figures at most: nobody needs the seconds of an hour. */
export function leftOf(seconds: number | null): string {
  if (seconds === null) return 'time left not known yet'
  if (seconds < 60) return `${seconds} s left`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s left`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}
