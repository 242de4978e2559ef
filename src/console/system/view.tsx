import { Empty } from '../components/states.js'

export function SystemView() {
  return (
    <>
      <div class="view-head">
        <h1>System</h1>
      </div>
      <Empty title="Nothing here yet">This view is not made yet.</Empty>
    </>
  )
}
