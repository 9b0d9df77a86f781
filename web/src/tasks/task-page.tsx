import { getRouteApi, Link } from '@tanstack/react-router';
import { useTitle } from '../app/title.js';
import type { ChatFeed } from '../chat/chat-feed.js';
import { ChatPanel } from '../chat/chat-panel.js';
import { useChatFeed } from '../chat/use-chat.js';
import { useSeen } from '../inbox/use-seen.js';
import { Loaded } from '../ui/loaded.js';
import { SplitPanes } from '../ui/split-panes.js';
import { TabList } from '../ui/tab-list.js';
import { useNarrow } from '../ui/use-media.js';
import { EndTask } from './end-task.js';
import { PullRequest } from './pull-request.js';
import { SubTasks } from './sub-tasks.js';
import { TaskBadge } from './task-list.js';
import { TaskPanel } from './task-panel.js';
import { type ShownTab, taskTabs } from './task-tabs.js';
import { useTask, type WholeTask } from './use-task.js';

const route = getRouteApi('/projects/$projectId/tasks/$taskId');

/** One task: its conversation, and beside it what its agent made. */
export function TaskPage() {
  const { projectId, taskId } = route.useParams();
  const task = useTask(projectId, taskId);
  const feed = useChatFeed(projectId, taskId);
  useTitle(task.data?.title ?? 'Task');
  return (
    <Loaded query={task}>
      {(read) => (
        <article className="task-page">
          <TaskHead task={read} />
          <Panes key={taskId} task={read} feed={feed} />
        </article>
      )}
    </Loaded>
  );
}

/** Beside each other, or one at a time where the screen is narrow. The address names the tab. */
function Panes({ task, feed }: { readonly task: WholeTask; readonly feed: ChatFeed }) {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useNarrow();
  const shown = tab ?? (isNarrow ? 'chat' : 'changes');
  const select = (name: ShownTab) => void navigate({ search: { tab: name }, replace: true });
  const chat = <ChatPanel feed={feed} />;
  if (isNarrow)
    return (
      <div className="panes">
        <TabList label="Parts of the task" tabs={narrowTabs} selected={shown} select={select} />
        {/* Hidden, it keeps its place and what is written in it. */}
        <div
          className="panel"
          role="tabpanel"
          id="panel-chat"
          aria-labelledby="tab-chat"
          hidden={shown !== 'chat'}
        >
          {chat}
        </div>
        {shown !== 'chat' && <TaskPanel tab={shown} task={task} />}
      </div>
    );
  const side = shown === 'chat' ? 'changes' : shown;
  return (
    <SplitPanes
      name="task"
      left={chat}
      right={
        <div className="panes">
          <TabList label="Parts of the task" tabs={taskTabs} selected={side} select={select} />
          <TaskPanel tab={side} task={task} />
        </div>
      }
    />
  );
}

const narrowTabs = [['chat', 'Chat'] as const, ...taskTabs];

function TaskHead({ task }: { readonly task: WholeTask }) {
  const { projectId } = task;
  useSeen(task.id);
  return (
    <div className="task-head">
      <div className="heading">
        <Link to="/projects/$projectId" params={{ projectId }}>
          ← Tasks
        </Link>
        <h1>{task.title}</h1>
        <TaskBadge task={task} />
        <EndTask task={task} />
      </div>
      <Facts task={task} />
      <SubTasks task={task} />
      {task.endedBecause && !task.errorMessage && <p className="notice">{task.endedBecause.text}</p>}
      {task.errorMessage && (
        <p className="notice bad" role="alert">
          {task.errorMessage}
        </p>
      )}
    </div>
  );
}

function Facts({ task }: { readonly task: WholeTask }) {
  const { outputBranch, outputPrUrl, workspaceId } = task;
  if (!outputBranch && !outputPrUrl && !workspaceId) return null;
  return (
    <div className="quiet small-text">
      {outputBranch && (
        <>
          Branch <code>{outputBranch}</code>.{' '}
        </>
      )}
      <PullRequest task={task} />{' '}
      {workspaceId && (
        <Link to="/workspaces/$workspaceId" params={{ workspaceId }}>
          Workspace
        </Link>
      )}
    </div>
  );
}
