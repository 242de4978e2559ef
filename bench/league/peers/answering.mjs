/**
 * The life of a peer's process: it learns the market once, then answers questions one after the other. The messages are
 * those of contract.ts.
 *
 * @param {(market: object) => unknown} learn
 * @param {(question: object) => unknown} plan - null, or what it throws: it has no answer.
 */
export function answerQuestions(learn, plan) {
  process.on('message', async (message) => {
    if (message.kind === 'market') {
      await learn(message.market)
      process.send({ kind: 'ready' })
      return
    }
    const { id, question } = message
    try {
      process.send({ kind: 'answer', id, plan: await plan(question) })
    } catch (error) {
      process.send({ kind: 'answer', id, plan: null, failure: String(error?.message ?? error) })
    }
  })
}
