import { Link, Outlet } from '@tanstack/react-router';
import { useSession } from '../app/services.js';

/** The machines, and what the operators of the deployment do. */
export function AdminPage() {
  const isSuperadmin = useSession().data?.user.role === 'superadmin';
  return (
    <>
      <h1>Admin</h1>
      <nav aria-label="Admin" className="tabs">
        <Link to="/admin" activeOptions={{ exact: true }}>
          Nodes
        </Link>
        <Link to="/admin/deployment">Deployment</Link>
        {isSuperadmin && <Link to="/admin/people">People</Link>}
      </nav>
      <Outlet />
    </>
  );
}
