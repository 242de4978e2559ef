import { Empty } from '../components/states.js'

export function HistoryView() {
  return (
    <>
      <div class="view-head">
        <h1>History</h1>
      </div>
      <Empty title="Nothing here yet">This view is not made yet.</Empty>
    </>
  )
}
